// The sums of the shared expert as seen from outside (model/reduction.h).
#ifndef SAMEBITS_MODEL_SHARED_EXPERT_REDUCTIONS_H_
#define SAMEBITS_MODEL_SHARED_EXPERT_REDUCTIONS_H_

#include <span>

#include "model/reduction.h"

namespace samebits::shared_expert {

/// In dataflow order.
std::span<const Reduction* const> Reductions();

}  // namespace samebits::shared_expert

#endif  // SAMEBITS_MODEL_SHARED_EXPERT_REDUCTIONS_H_
