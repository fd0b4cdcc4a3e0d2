// Input values of a case, and the preconditions of operands (SPEC.md 2.1, 2.7).
#ifndef SAMEBITS_MODEL_SHARED_EXPERT_INPUTS_H_
#define SAMEBITS_MODEL_SHARED_EXPERT_INPUTS_H_

#include "model/kernel.h"
#include "model/shared_expert/config.h"
#include "model/tensor.h"

namespace samebits::shared_expert {

/// Fills every input tensor of MakePlan(config): x and weights such that gate, up and the outputs
/// are about 1 in size, counters with zeros, mailboxes with sentinel words.
void GenerateInputValues(const Config& config, const InputSource& source, TensorSet* inputs);

/// Throws ConfigError that names the tensor and the element: counters that are not zero, which an
/// aborted launch leaves and with which the grid barrier would not hold (6.6); mailbox words that
/// are not empty.
void CheckInputValues(const Config& config, const TensorSet& inputs);

}  // namespace samebits::shared_expert

#endif  // SAMEBITS_MODEL_SHARED_EXPERT_INPUTS_H_
