// Inputs on which the alternatives of every choice give different bits (input style
// "discriminating").
#ifndef SAMEBITS_MODEL_SHARED_EXPERT_DISCRIMINATING_H_
#define SAMEBITS_MODEL_SHARED_EXPERT_DISCRIMINATING_H_

#include <vector>

#include "model/kernel.h"
#include "model/shared_expert/config.h"
#include "model/tensor.h"

namespace samebits::shared_expert {

/// Configurations that together show every choice: K spans of several lengths and a consumer of
/// eight ranks, and the front GEMM.
std::vector<Settings> DiscriminatingConfigs();

/// Changes realistic inputs: every 16th row of the first products subnormal, and the output columns
/// by four: realistic, two in which the ranks cancel, one of subnormal sums.
void Discriminate(const Config& config, TensorSet* inputs);

}  // namespace samebits::shared_expert

#endif  // SAMEBITS_MODEL_SHARED_EXPERT_DISCRIMINATING_H_
