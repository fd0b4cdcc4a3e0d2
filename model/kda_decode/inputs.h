// Input values of a case, and the preconditions of operands (SPEC.md 2.4).
#ifndef SAMEBITS_MODEL_KDA_DECODE_INPUTS_H_
#define SAMEBITS_MODEL_KDA_DECODE_INPUTS_H_

#include "model/kda_decode/config.h"
#include "model/kernel.h"
#include "model/tensor.h"

namespace samebits::kda_decode {

/// Fills every input tensor of MakePlan(config). Slots are a permutation drawn from the source. The
/// null slot's caches and the rows of padded requests hold NaNs that no result may depend on.
void GenerateInputValues(const Config& config, const InputSource& source, TensorSet* inputs);

/// Throws ConfigError that names the request and the value: slots and num_accepted in range, the
/// convolution's slot positive where the state's is, no slot used by two requests.
void CheckInputValues(const Config& config, const TensorSet& inputs);

}  // namespace samebits::kda_decode

#endif  // SAMEBITS_MODEL_KDA_DECODE_INPUTS_H_
