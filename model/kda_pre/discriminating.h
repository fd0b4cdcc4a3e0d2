// Inputs on which the alternatives of every choice give different bits (input style
// "discriminating").
#ifndef SAMEBITS_MODEL_KDA_PRE_DISCRIMINATING_H_
#define SAMEBITS_MODEL_KDA_PRE_DISCRIMINATING_H_

#include <vector>

#include "model/kda_pre/config.h"
#include "model/kernel.h"
#include "model/tensor.h"

namespace samebits::kda_pre {

/// Configurations that together show every choice: several tokens and sources; one whose variances
/// and decays leave the normal range; one whose output variance is a tie.
std::vector<Settings> DiscriminatingConfigs();

/// Changes realistic inputs: odd token rows have equal slices or a large one, the last token has a
/// NaN among its sources, the request before the last (of three and more) sources whose squares are
/// subnormal; heads 1, 4 and 7 have outputs whose squares are, head 10 has variances at a tie,
/// heads 2, 5, 8 and 11 decays of wide gates, heads 3, 6 and 9 convolutions that cancel, head 0 an
/// exponential near a tie.
void Discriminate(const Config& config, TensorSet* inputs);

}  // namespace samebits::kda_pre

#endif  // SAMEBITS_MODEL_KDA_PRE_DISCRIMINATING_H_
