#include <algorithm>
#include <vector>

#include "model/kda_pre/constants.h"
#include "model/kda_pre/projection.h"
#include "model/kda_pre/stages.h"
#include "model/settle.h"

namespace samebits::kda_pre {

void Gate(const Launch& launch, const Seam& seam, const Place& place, Item* item) {
  const Config& c = launch.config;
  const Taps& taps = launch.taps;
  const Taps& given = launch.given.taps;
  const std::vector<int> order = GateOrderOf(launch.choices);
  Channels raw[kMaxTokenRows];
  ChainedProducts(UnitOf(launch.choices), launch.math.path(),
                  {kHeadDim, kHeadDim, c.tokens, kInProjRows, kHeadDim}, order,
                  launch.operands.w_fb + place.channel() * kHeadDim,
                  Projected(seam, place.row(c, 0)) + kRankRow, raw[0]);
  const float rate = launch.math.Exp2(arith::Mul(launch.operands.a_log[place.head], kLog2E));  // aa
  for (int j = 0; j < c.tokens; ++j) {
    const int64_t row = place.row(c, j), channel = row * kProjection + place.channel();
    item->beta[j] = launch.math.Sigmoid(arith::Widen(Projected(seam, row)[kBetaRow + place.head]));
    Settle({taps.beta, given.beta}, row * kHeads + place.head, 1, &item->beta[j]);
    for (float& r : raw[j]) r = Round(launch.choices.gate_rounding, r);
    Settle({taps.gate_raw, given.gate_raw}, channel, kHeadDim, raw[j]);
    for (int d = 0; d < kHeadDim; ++d) {
      const float g = arith::Add(raw[j][d], launch.operands.dt_bias[place.channel() + d]);
      const float gate = arith::Mul(c.lower_bound, launch.math.Sigmoid(arith::Mul(rate, g)));
      item->decay[j][d] = launch.math.Exp2(arith::Mul(gate, kLog2E));
    }
    Settle({taps.decay, given.decay}, channel, kHeadDim, item->decay[j]);
  }
}

}  // namespace samebits::kda_pre
