// Normalisation of q and k (SPEC.md 3.3, 3.4).
#include "model/kda_decode/stages.h"
#include "model/order/evaluate.h"

namespace samebits::kda_decode {
namespace {

const float kEpsilon = arith::FromBits(0x358637BDu);  // 1e-6

}  // namespace

void Normalise(const Launch& launch, Item* item) {
  const Math& math = launch.math;
  const NormReciprocal form = launch.choices.qk_norm_reciprocal;
  for (int p = 0; p < 2; ++p) {
    for (int t = 0; t < launch.config.tokens; ++t) {
      const Channels& u = item->conv[p][t];
      Channels& normed = item->norm[p][t];
      const float n =
          math.Add(math.SumSquares(launch.trees.qk_norm, launch.trees.qk_norm_levels, u), kEpsilon);
      float f = math.ReciprocalRoot(form, n);
      item->norm_sum[p][t] = n;
      item->norm_inv[p][t] = f;
      const bool fold = p == 0 && launch.choices.q_scale == QueryScale::kFolded;
      if (fold) f = math.Mul(f, launch.operands.scale);
      if (form == NormReciprocal::kDivSqrt && !fold) {
        math.DivFull(u, math.RootApprox(n), normed);
      } else {
        math.Mul(u, f, normed);
      }
      if (p == 0 && !fold) math.Mul(normed, launch.operands.scale, normed);
    }
  }
}

}  // namespace samebits::kda_decode
