// The sums of kda_decode, made visible from outside (SPEC.md section 4).
#ifndef SAMEBITS_MODEL_KDA_DECODE_REDUCTIONS_H_
#define SAMEBITS_MODEL_KDA_DECODE_REDUCTIONS_H_

#include <span>

#include "model/reduction.h"

namespace samebits::kda_decode {

/// conv.acc.q/k/v, norm.q.sum, norm.k.sum, gate.acc, dot, out.acc, out.sum. The probed
/// configuration has no padded rows.
std::span<const Reduction* const> Reductions();

}  // namespace samebits::kda_decode

#endif  // SAMEBITS_MODEL_KDA_DECODE_REDUCTIONS_H_
