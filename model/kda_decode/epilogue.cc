// Gated RMSNorm and the output (SPEC.md 3.9).
#include "model/arith/bfloat16.h"
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

}  // namespace

void Finish(const Launch& launch, const Place& place, Item* item) {
  for (int t = 0; t < launch.config.tokens; ++t) {
    const int64_t row = int64_t{place.request} * launch.config.tokens + t;
    const uint16_t* logits =
        launch.operands.gate + row * launch.operands.gate_stride + place.channel();
    uint16_t* output =
        launch.operands.output + row * launch.operands.output_stride + place.channel();
    const Channels& o = item->out_raw[t];
    Channels& gate = item->out_gate[t];
    Channels& y = item->out_scaled[t];

    item->out_sum[t] = launch.math.SumProducts(launch.trees.out_norm, o, o);
    item->out_inv[t] = launch.math.ReciprocalRoot(launch.choices.out_norm_reciprocal,
                                                  MeanSquare(launch, item->out_sum[t]));
    for (int v = 0; v < kHeadDim; ++v) gate[v] = arith::Widen(logits[v]);
    launch.math.Sigmoid(gate, gate);
    Scale(launch, o, item->out_inv[t], gate, y);
    for (int v = 0; v < kHeadDim; ++v) {
      output[v] = launch.choices.output_rounding == OutputRounding::kRn
                      ? arith::RoundToBf16(y[v])
                      : arith::TruncateToBf16(y[v]);
    }
  }
}

}  // namespace samebits::kda_decode
