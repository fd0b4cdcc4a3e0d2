#include <algorithm>
#include <vector>

#include "model/kda_pre/constants.h"
#include "model/kda_pre/projection.h"
#include "model/kda_pre/stages.h"

namespace samebits::kda_pre {

void Gate(const Launch& launch, const Seam& seam, const Place& place, Item* item) {
  const Config& c = launch.config;
  const std::vector<int> order = GateOrderOf(launch.choices);
  Channels raw[kMaxTokenRows];
  ChainedProducts(UnitOf(launch.choices), launch.math.path(),
                  {kHeadDim, kHeadDim, c.tokens, kInProjRows, kHeadDim}, order,
                  launch.operands.w_fb + place.channel() * kHeadDim,
                  Projected(seam, place.row(c, 0)) + kRankRow, raw[0]);
  const float rate = launch.math.Exp2(arith::Mul(launch.operands.a_log[place.head], kLog2E));  // aa
  for (int j = 0; j < c.tokens; ++j) {
    const int64_t row = place.row(c, j);
    item->beta[j] = launch.math.Sigmoid(arith::Widen(Projected(seam, row)[kBetaRow + place.head]));
    for (int d = 0; d < kHeadDim; ++d) {
      raw[j][d] = Round(launch.choices.gate_rounding, raw[j][d]);
      const float g = arith::Add(raw[j][d], launch.operands.dt_bias[place.channel() + d]);
      const float gate = arith::Mul(c.lower_bound, launch.math.Sigmoid(arith::Mul(rate, g)));
      item->decay[j][d] = launch.math.Exp2(arith::Mul(gate, kLog2E));
    }
    if (launch.taps.beta == nullptr) continue;
    launch.taps.beta[row * kHeads + place.head] = item->beta[j];
    std::copy_n(raw[j], kHeadDim, launch.taps.gate_raw + row * kProjection + place.channel());
    std::copy_n(item->decay[j], kHeadDim, launch.taps.decay + row * kProjection + place.channel());
  }
}

}  // namespace samebits::kda_pre
