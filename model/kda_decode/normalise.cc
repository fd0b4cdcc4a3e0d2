// Normalisation of q and k (SPEC.md 3.3, 3.4).
#include "model/kda_decode/settle.h"
#include "model/kda_decode/stages.h"
#include "model/order/evaluate.h"

namespace samebits::kda_decode {
namespace {

const float kEpsilon = arith::FromBits(0x358637BDu);  // 1e-6

}  // namespace

void Normalise(const Launch& launch, const Place& place, Item* item) {
  const Math& math = launch.math;
  const Taps& taps = launch.taps;
  const Taps& given = launch.given.taps;
  const NormReciprocal form = launch.choices.qk_norm_reciprocal;
  for (int p = 0; p < 2; ++p) {
    for (int t = 0; t < launch.config.tokens; ++t) {
      const Channels& u = item->conv[p][t];
      Channels& normed = item->norm[p][t];
      const int64_t index = TapIndex(launch.config, place, t);
      float n =
          math.Add(math.SumSquares(launch.trees.qk_norm, launch.trees.qk_norm_levels, u), kEpsilon);
      Settle({taps.norm_sum[p], given.norm_sum[p]}, index, 1, &n);
      float f = math.ReciprocalRoot(form, n);
      Settle({taps.norm_inv[p], given.norm_inv[p]}, index, 1, &f);
      const bool fold = p == 0 && launch.choices.q_scale == QueryScale::kFolded;
      if (fold) f = math.Mul(f, launch.operands.scale);
      if (form == NormReciprocal::kDivSqrt && !fold) {
        math.DivFull(u, math.RootApprox(n), normed);
      } else {
        math.Mul(u, f, normed);
      }
      if (p == 0 && !fold) math.Mul(normed, launch.operands.scale, normed);
      Settle({taps.norm[p], given.norm[p]}, index * kHeadDim, kHeadDim, normed);
    }
  }
}

}  // namespace samebits::kda_decode
