// Inputs on which the alternatives of every choice give different bits (input style
// "discriminating").
#ifndef SAMEBITS_MODEL_KDA_DECODE_DISCRIMINATING_H_
#define SAMEBITS_MODEL_KDA_DECODE_DISCRIMINATING_H_

#include <vector>

#include "model/kda_decode/config.h"
#include "model/kernel.h"
#include "model/tensor.h"

namespace samebits::kda_decode {

/// Configurations that together show every choice: one token and several, both gate modes, records,
/// decays and variances below the normal range.
std::vector<Settings> DiscriminatingConfigs();

/// Changes realistic inputs head by head; head h gets arrangement h mod 5.
void Discriminate(const Config& config, TensorSet* inputs);

}  // namespace samebits::kda_decode

#endif  // SAMEBITS_MODEL_KDA_DECODE_DISCRIMINATING_H_
