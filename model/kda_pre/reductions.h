// The sums of kda_pre as seen from outside (model/reduction.h).
#ifndef SAMEBITS_MODEL_KDA_PRE_REDUCTIONS_H_
#define SAMEBITS_MODEL_KDA_PRE_REDUCTIONS_H_

#include <span>

#include "model/reduction.h"

namespace samebits::kda_pre {

/// In dataflow order. Not among them, because what shows is not zero exactly where the sum is, or
/// because a square's last bit does not show: the weights of the sources (T7), the norms of x, of q
/// and k and of the output (T4 and T5 of the mix, T14, T17).
std::span<const Reduction* const> Reductions();

}  // namespace samebits::kda_pre

#endif  // SAMEBITS_MODEL_KDA_PRE_REDUCTIONS_H_
