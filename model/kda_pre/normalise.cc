#include <algorithm>

#include "model/kda_pre/constants.h"
#include "model/kda_pre/stages.h"
#include "model/settle.h"

namespace samebits::kda_pre {

void Normalise(const Launch& launch, const Place& place, Item* item) {
  const bool folded = launch.choices.q_scale == QueryScale::kFolded;
  for (int j = 0; j < launch.config.tokens; ++j) {
    for (int part = 0; part < 2; ++part) {
      const float* x = item->conv[part][j];
      const float sum = order::SumProducts(launch.trees.qk_norm, x, x);
      float scale = launch.math.Rsq(arith::Add(sum, kNormEps));
      if (part == 0 && folded) scale = arith::Mul(scale, kQueryScale);
      float* y = item->norm[part][j];
      for (int d = 0; d < kHeadDim; ++d) {
        y[d] = arith::Mul(x[d], scale);
        if (part == 0 && !folded) y[d] = arith::Mul(y[d], kQueryScale);
      }
      const int64_t pair = place.row(launch.config, j) * kHeads + place.head;
      Settle({launch.taps.qkn, launch.given.taps.qkn}, (pair * 2 + part) * kHeadDim, kHeadDim, y);
    }
  }
}

}  // namespace samebits::kda_pre
