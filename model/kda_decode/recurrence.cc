// The gated delta rule on the state of one head (SPEC.md 3.8), states and records (2.4, 2.5).
#include <cstring>

#include "model/arith/bfloat16.h"
#include "model/kda_decode/page.h"
#include "model/kda_decode/stages.h"
#include "model/order/evaluate.h"

namespace samebits::kda_decode {
namespace {

/// The state, in the way the launch computes.
class State {
 public:
  State(const Launch& launch, Item* item) : math_(launch.math), s_(item->state) {}

  void Load(const float* page) {
    if (math_.vectorised()) return LoadPageSimd(page, s_);
    for (int v = 0; v < kHeadDim; ++v) {
      for (int k = 0; k < kHeadDim; ++k) s_[k][v] = page[v * kHeadDim + k];
    }
  }

  void Store(float* page) const {
    if (math_.vectorised()) return StorePageSimd(s_, page);
    for (int v = 0; v < kHeadDim; ++v) {
      for (int k = 0; k < kHeadDim; ++k) page[v * kHeadDim + k] = s_[k][v];
    }
  }

  /// S[v][k] = S[v][k] * d[k].
  void Decay(const Channels& d) {
    if (math_.vectorised()) return ScaleKeysSimd(d, s_);
    for (int k = 0; k < kHeadDim; ++k) math_.Mul(s_[k], d[k], s_[k]);
  }

  /// sums[v] = sum over keys of S[v][k] * b[k].
  void Dot(const order::Tree& tree, const Channels& b, Channels& sums) const {
    math_.SumColumns(tree, {.a = s_[0], .a_stride = kHeadDim, .b = b}, sums);
  }

  /// S[v][k] = S[v][k] + kn[k] * correction[v].
  void Update(const Channels& kn, const Channels& correction, MultiplyAdd form) {
    const bool fused = form == MultiplyAdd::kFused;
    if (math_.vectorised()) return AddOuterProductSimd(kn, correction, fused, s_);
    for (int k = 0; k < kHeadDim; ++k) {
      for (int v = 0; v < kHeadDim; ++v) {
        s_[k][v] = fused ? math_.Fma(kn[k], correction[v], s_[k][v])
                         : math_.Add(s_[k][v], math_.Mul(kn[k], correction[v]));
      }
    }
  }

 private:
  const Math& math_;
  Channels* s_;
};

float* Page(const Launch& launch, const Place& place, int32_t slot) {
  return launch.operands.state + slot * launch.operands.state_slot_stride +
         int64_t{place.head} * kHeadDim * kHeadDim;
}

/// corr = (v - dot) * beta.
void Correct(const Launch& launch, int t, Item* item) {
  const Math& math = launch.math;
  const float beta = item->beta[t];
  for (int v = 0; v < kHeadDim; ++v) {
    const float value = item->conv[2][t][v];
    const float dot = item->dot[t][v];
    item->correction[t][v] = launch.choices.correction_form == CorrectionForm::kSubMul
                                 ? math.Mul(math.Sub(value, dot), beta)
                                 : math.Fma(-dot, beta, math.Mul(value, beta));
  }
}

/// w_t, or 0 for none.
int32_t Target(const Launch& launch, const Place& place, int t) {
  if (launch.config.record) return 0;
  return launch.operands.slots[place.request * launch.operands.slots_stride + t];
}

int64_t RecordRowOf(const Launch& launch, const Place& place) {
  switch (launch.choices.record_row) {
    case RecordRow::kSlot0:
      return place.conv_slot;  // slots[r][0]
    case RecordRow::kCurrent:
      return place.slot;
    case RecordRow::kRequest:
      return place.request;
  }
  return place.conv_slot;
}

/// What a commit needs to replay accepted tokens: corrections, keys before normalisation, raw
/// gates.
void Record(const Launch& launch, const Place& place, const Item& item) {
  const int64_t row = RecordRowOf(launch, place) * launch.config.heads + place.head;
  for (int t = 0; t < launch.config.tokens; ++t) {
    const int64_t index = row * launch.config.tokens + t;
    std::memcpy(launch.operands.correction_record + index * kHeadDim, item.correction[t],
                sizeof(Channels));
    uint16_t* keys = launch.operands.key_gate_record + index * 2 * kHeadDim;
    for (int c = 0; c < kHeadDim; ++c) {
      keys[c] = arith::RoundToBf16(item.conv[1][t][c]);
      keys[kHeadDim + c] = arith::RoundToBf16(item.gate_raw[t][c]);
    }
  }
}

}  // namespace

void Recur(const Launch& launch, const Place& place, Item* item) {
  const Choices& choices = launch.choices;
  State state(launch, item);
  state.Load(Page(launch, place, place.slot));
  for (int t = 0; t < launch.config.tokens; ++t) {
    const Channels& qn = item->norm[0][t];
    const Channels& kn = item->norm[1][t];
    if (choices.decay_position == DecayPosition::kBeforeDot) {
      state.Decay(item->decay[t]);
      state.Dot(launch.trees.key_dot, kn, item->dot[t]);
    } else {
      state.Dot(launch.trees.key_dot, kn, item->dot[t]);
      state.Decay(item->decay[t]);
    }
    Correct(launch, t, item);
    state.Update(kn, item->correction[t], choices.update_multiply_add);
    state.Dot(launch.trees.out_dot, qn, item->out_acc[t]);
    Math::RoundToBf16(choices.out_rounding, item->out_acc[t], item->out_raw[t]);
    if (launch.taps.state_after != nullptr) {
      state.Store(launch.taps.state_after +
                  TapIndex(launch.config, place, t) * kHeadDim * kHeadDim);
    }
    const int32_t target = Target(launch, place, t);
    if (target > 0) state.Store(Page(launch, place, target));
  }
  if (launch.config.record) Record(launch, place, *item);
}

}  // namespace samebits::kda_decode
