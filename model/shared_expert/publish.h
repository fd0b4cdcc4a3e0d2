// What leaves for other ranks as bf16: rounding, and no -0 (SPEC.md 4.7, policy P4).
#ifndef SAMEBITS_MODEL_SHARED_EXPERT_PUBLISH_H_
#define SAMEBITS_MODEL_SHARED_EXPERT_PUBLISH_H_

#include "model/arith/bfloat16.h"
#include "model/shared_expert/contract.h"
#include "model/shared_expert/math.h"

namespace samebits::shared_expert {

inline uint16_t ToPublished(const Math& math, ZeroRule rule, float y) {
  if (rule == ZeroRule::kPreRound) return arith::RoundToBf16(math.Add(y, 0.0f));
  const uint16_t rounded = arith::RoundToBf16(y);
  return rounded == 0x8000 ? 0 : rounded;
}

}  // namespace samebits::shared_expert

#endif  // SAMEBITS_MODEL_SHARED_EXPERT_PUBLISH_H_
