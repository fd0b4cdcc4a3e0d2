// Input values of a case, and the preconditions of operands (SPEC.md 2.1, 2.3).
#ifndef SAMEBITS_MODEL_KDA_PRE_INPUTS_H_
#define SAMEBITS_MODEL_KDA_PRE_INPUTS_H_

#include "model/kda_pre/config.h"
#include "model/kernel.h"
#include "model/tensor.h"

namespace samebits::kda_pre {

/// Fills every input tensor of MakePlan(config). Slots are a permutation drawn from the source. The
/// null slot's caches and the blocks that are no sources hold NaNs that no result may depend on
/// (with Targets::kDeadConv the null slot's window is read and finite).
void GenerateInputValues(const Config& config, const InputSource& source, TensorSet* inputs);

/// Throws ConfigError that names the request and the value: num_acc and st_idx in range, no slot
/// used by two requests, zero rows of w_in, bf16 values in a float32 delta.
void CheckInputValues(const Config& config, const TensorSet& inputs);

}  // namespace samebits::kda_pre

#endif  // SAMEBITS_MODEL_KDA_PRE_INPUTS_H_
