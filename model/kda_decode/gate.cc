// Raw gate, decay and beta (SPEC.md 3.5, 3.6, 3.7).
#include "model/arith/bfloat16.h"
#include "model/kda_decode/stages.h"

namespace samebits::kda_decode {
namespace {

/// d = exp(lower_bound * sigmoid(A * (rg + dt))); stock without a bound: exp(-A * softplus(rg +
/// dt)).
void Decay(const Launch& launch, const Place& place, int t, Item* item) {
  const Math& math = launch.math;
  const float a = math.Exp(launch.operands.a_log[place.head]);
  const In dt_bias(launch.operands.dt_bias + place.channel(), kHeadDim);
  Channels& arg = item->gate_arg[t];
  Channels& sigmoid = item->gate_sigmoid[t];
  Channels& decay = item->decay[t];
  math.Add(item->gate_raw[t], dt_bias, arg);
  if (launch.choices.gate_form == GateForm::kBoundedSigmoid) {
    math.Mul(arg, a, arg);
    math.Sigmoid(arg, sigmoid);
    math.Mul(sigmoid, launch.operands.lower_bound, decay);
  } else {
    math.Softplus(arg, sigmoid);
    math.Mul(sigmoid, -a, decay);
  }
  math.Exp(decay, decay);
}

}  // namespace

void Gate(const Launch& launch, const Place& place, Item* item) {
  const Config& config = launch.config;
  const int64_t row = int64_t{place.request} * config.tokens;
  launch.raw_gates[place.head].Project(launch.operands.f_a + row * launch.operands.f_a_stride,
                                       launch.operands.f_a_stride, config.tokens, item->gate_acc);
  for (int t = 0; t < config.tokens; ++t) {
    Math::RoundToBf16(launch.choices.raw_gate_rounding, item->gate_acc[t], item->gate_raw[t]);
    Decay(launch, place, t, item);
    const uint16_t logit =
        launch.operands.beta[(row + t) * launch.operands.beta_stride + place.head];
    item->beta[t] = launch.math.Sigmoid(arith::Widen(logit));
  }
}

}  // namespace samebits::kda_decode
