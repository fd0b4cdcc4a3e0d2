// Gated RMSNorm and the output (SPEC.md 3.9).
#include "model/arith/bfloat16.h"
#include "model/kda_decode/settle.h"
#include "model/kda_decode/stages.h"
#include "model/order/evaluate.h"

namespace samebits::kda_decode {
namespace {

constexpr float kInverseDim = 1.0f / kHeadDim;  // exact

float MeanSquare(const Launch& launch, float sum) {
  const Math& math = launch.math;
  const float eps = launch.operands.eps;
  if (launch.choices.variance == Variance::kFused) return math.Fma(sum, kInverseDim, eps);
  return math.Add(math.Mul(sum, kInverseDim), eps);
}

/// y = o * rstd * w * g, in the order of the contract.
void Scale(const Launch& launch, In o, float rstd, In gate, Out y) {
  const Math& math = launch.math;
  const In weight(launch.operands.norm_weight, kHeadDim);
  switch (launch.choices.out_product_order) {
    case OutProduct::kRstdWeightGate:
      math.Mul(o, rstd, y);
      math.Mul(y, weight, y);
      math.Mul(y, gate, y);
      return;
    case OutProduct::kWeightFirst:
      math.Mul(weight, rstd, y);
      math.Mul(o, y, y);
      math.Mul(y, gate, y);
      return;
    case OutProduct::kGateFirst:
      math.Mul(o, rstd, y);
      math.Mul(y, gate, y);
      math.Mul(y, weight, y);
      return;
  }
}

void Store(const Launch& launch, const Channels& y, uint16_t* output) {
  Channels rounded;
  const bool nearest = launch.choices.output_rounding == OutputRounding::kRn;
  launch.math.RoundToBf16(nearest ? ToBf16::kBf16 : ToBf16::kBf16Rz, y, rounded);
  for (int v = 0; v < kHeadDim; ++v) {
    output[v] = static_cast<uint16_t>(arith::ToBits(rounded[v]) >> 16);
  }
}

}  // namespace

void Finish(const Launch& launch, const Place& place, Item* item) {
  const int64_t first_row = int64_t{place.request} * launch.config.tokens;
  for (int t = 0; t < launch.config.tokens; ++t) {
    const uint16_t* logits =
        launch.operands.gate + (first_row + t) * launch.operands.gate_stride + place.channel();
    for (int v = 0; v < kHeadDim; ++v) item->out_gate[t][v] = arith::Widen(logits[v]);
  }
  const Out gates = AllTokens(launch, item->out_gate);
  launch.math.Sigmoid(gates, gates);
  const Taps& taps = launch.taps;
  const Taps& given = launch.given.taps;
  SettleChannels(launch, place, {taps.out_gate, given.out_gate}, item->out_gate);
  for (int t = 0; t < launch.config.tokens; ++t) {
    const Channels& o = item->out_raw[t];
    const int64_t index = TapIndex(launch.config, place, t);
    float sum = launch.math.SumSquares(launch.trees.out_norm, launch.trees.out_norm_levels, o);
    Settle({taps.out_sum, given.out_sum}, index, 1, &sum);
    float rstd =
        launch.math.ReciprocalRoot(launch.choices.out_norm_reciprocal, MeanSquare(launch, sum));
    Settle({taps.out_inv, given.out_inv}, index, 1, &rstd);
    Scale(launch, o, rstd, item->out_gate[t], item->out_scaled[t]);
    Settle({taps.out_scaled, given.out_scaled}, index * kHeadDim, kHeadDim, item->out_scaled[t]);
    Store(
        launch, item->out_scaled[t],
        launch.operands.output + (first_row + t) * launch.operands.output_stride + place.channel());
  }
}

}  // namespace samebits::kda_decode
