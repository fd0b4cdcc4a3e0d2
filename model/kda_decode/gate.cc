// Raw gate, decay and beta (SPEC.md 3.5, 3.6, 3.7).
#include "model/arith/bfloat16.h"
#include "model/kda_decode/record.h"
#include "model/kda_decode/settle.h"
#include "model/kda_decode/stages.h"

namespace samebits::kda_decode {
namespace {

/// d = exp(lower_bound * sigmoid(A * (rg + dt))); stock without a bound: exp(-A * softplus(rg +
/// dt)).
void Decay(const Launch& launch, const Place& place, Item* item) {
  const Math& math = launch.math;
  const float a = math.Exp(launch.operands.a_log[place.head]);
  const In dt_bias(launch.operands.dt_bias + place.channel(), kHeadDim);
  for (int t = 0; t < launch.config.tokens; ++t) {
    math.Add(item->gate_raw[t], dt_bias, item->gate_arg[t]);
  }
  const Out arg = AllTokens(launch, item->gate_arg);
  const Out sigmoid = AllTokens(launch, item->gate_sigmoid);
  const Out decay = AllTokens(launch, item->decay);
  const bool bounded = launch.choices.gate_form == GateForm::kBoundedSigmoid;
  if (bounded) math.Mul(arg, a, arg);
  SettleChannels(launch, place, {launch.taps.gate_arg, launch.given.taps.gate_arg}, item->gate_arg);
  bounded ? math.Sigmoid(arg, sigmoid) : math.Softplus(arg, sigmoid);
  SettleChannels(launch, place, {launch.taps.gate_sigmoid, launch.given.taps.gate_sigmoid},
                 item->gate_sigmoid);
  math.Mul(sigmoid, bounded ? launch.operands.lower_bound : -a, decay);
  math.Exp(decay, decay);
  SettleChannels(launch, place, {launch.taps.decay, launch.given.taps.decay}, item->decay);
}

void Beta(const Launch& launch, const Place& place, Item* item) {
  const Out beta(item->beta, launch.config.tokens);
  for (int t = 0; t < launch.config.tokens; ++t) {
    const int64_t row = int64_t{place.request} * launch.config.tokens + t;
    beta[t] = arith::Widen(launch.operands.beta[row * launch.operands.beta_stride + place.head]);
  }
  launch.math.Sigmoid(beta, beta);
  SettleScalars(launch, place, {launch.taps.beta, launch.given.taps.beta}, item->beta);
}

}  // namespace

void Gate(const Launch& launch, const Place& place, Item* item) {
  const Config& config = launch.config;
  const int64_t row = int64_t{place.request} * config.tokens;
  launch.raw_gates[place.head].Project(launch.operands.f_a + row * launch.operands.f_a_stride,
                                       launch.operands.f_a_stride, config.tokens, item->gate_acc);
  SettleChannels(launch, place, {launch.taps.gate_acc, launch.given.taps.gate_acc}, item->gate_acc);
  launch.math.RoundToBf16(launch.choices.raw_gate_rounding, AllTokens(launch, item->gate_acc),
                          AllTokens(launch, item->gate_raw));
  SettleChannels(launch, place, {launch.taps.gate_raw, launch.given.taps.gate_raw}, item->gate_raw);
  TakeRecordedGates(launch, place, item->gate_raw);
  Decay(launch, place, item);
  Beta(launch, place, item);
}

}  // namespace samebits::kda_decode
