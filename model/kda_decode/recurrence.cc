// The gated delta rule on the state of one head (SPEC.md 3.8), states and records (2.4, 2.5).
#include <cstring>

#include "model/arith/bfloat16.h"
#include "model/kda_decode/page.h"
#include "model/kda_decode/stages.h"
#include "model/order/evaluate.h"

namespace samebits::kda_decode {
namespace {

/// A block of values of the state, in the way the launch computes. `rows` are the block's first row
/// of a page and those below it; sums and corrections are those of the block.
class Block {
 public:
  Block(const Launch& launch, Item* item) : math_(launch.math), s_(item->state) {}

  void Load(const float* rows) {
    if (math_.vectorised()) return LoadBlockSimd(rows, s_);
    for (int v = 0; v < kBlockValues; ++v) {
      for (int k = 0; k < kHeadDim; ++k) s_[k][v] = rows[v * kHeadDim + k];
    }
  }

  void Store(float* rows) const {
    if (math_.vectorised()) return StoreBlockSimd(s_, rows);
    for (int v = 0; v < kBlockValues; ++v) {
      for (int k = 0; k < kHeadDim; ++k) rows[v * kHeadDim + k] = s_[k][v];
    }
  }

  /// S[v][k] = S[v][k] * d[k].
  void Decay(const Channels& d) {
    if (math_.vectorised()) return ScaleKeysSimd(d, s_);
    for (int k = 0; k < kHeadDim; ++k) math_.Mul(s_[k], d[k], s_[k]);
  }

  /// sums[v] = sum over keys of S[v][k] * b[k].
  void Dot(const order::Tree& tree, const Channels& b, float* sums) const {
    math_.SumColumns(tree, {.a = s_[0], .a_stride = kBlockValues, .b = b}, Out(sums, kBlockValues));
  }

  /// S[v][k] = S[v][k] + kn[k] * correction[v].
  void Update(const Channels& kn, const float* correction, MultiplyAdd form) {
    const bool fused = form == MultiplyAdd::kFused;
    if (math_.vectorised()) return AddOuterProductSimd(kn, correction, fused, s_);
    for (int k = 0; k < kHeadDim; ++k) {
      for (int v = 0; v < kBlockValues; ++v) {
        s_[k][v] = fused ? math_.Fma(kn[k], correction[v], s_[k][v])
                         : math_.Add(s_[k][v], math_.Mul(kn[k], correction[v]));
      }
    }
  }

 private:
  const Math& math_;
  BlockRow* s_;
};

float* Page(const Launch& launch, const Place& place, int32_t slot) {
  return launch.operands.state + slot * launch.operands.state_slot_stride +
         int64_t{place.head} * kHeadDim * kHeadDim;
}

/// corr = (v - dot) * beta, of the block from value `first` on.
void Correct(const Launch& launch, int t, int first, Item* item) {
  const Math& math = launch.math;
  const float beta = item->beta[t];
  const In value = In(item->conv[2][t]).subspan(first, kBlockValues);
  const In dot = In(item->dot[t]).subspan(first, kBlockValues);
  const Out correction = Out(item->correction[t]).subspan(first, kBlockValues);
  if (launch.choices.correction_form == CorrectionForm::kSubMul) {
    math.Sub(value, dot, correction);
    math.Mul(correction, beta, correction);
    return;
  }
  math.Mul(value, beta, correction);
  for (int v = 0; v < kBlockValues; ++v) correction[v] = math.Fma(-dot[v], beta, correction[v]);
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

/// All tokens of the block from value `first` on.
void RecurBlock(const Launch& launch, const Place& place, int first, Item* item) {
  const Choices& choices = launch.choices;
  const int64_t rows = int64_t{first} * kHeadDim;
  Block block(launch, item);
  block.Load(Page(launch, place, place.slot) + rows);
  for (int t = 0; t < launch.config.tokens; ++t) {
    const Channels& qn = item->norm[0][t];
    const Channels& kn = item->norm[1][t];
    if (choices.decay_position == DecayPosition::kBeforeDot) {
      block.Decay(item->decay[t]);
      block.Dot(launch.trees.key_dot, kn, item->dot[t] + first);
    } else {
      block.Dot(launch.trees.key_dot, kn, item->dot[t] + first);
      block.Decay(item->decay[t]);
    }
    Correct(launch, t, first, item);
    block.Update(kn, item->correction[t] + first, choices.update_multiply_add);
    block.Dot(launch.trees.out_dot, qn, item->out_acc[t] + first);
    if (launch.taps.state_after != nullptr) {
      block.Store(launch.taps.state_after +
                  TapIndex(launch.config, place, t) * kHeadDim * kHeadDim + rows);
    }
    const int32_t target = Target(launch, place, t);
    if (target > 0) block.Store(Page(launch, place, target) + rows);
  }
}

}  // namespace

void Recur(const Launch& launch, const Place& place, Item* item) {
  for (int first = 0; first < kHeadDim; first += kBlockValues) {
    RecurBlock(launch, place, first, item);
  }
  launch.math.RoundToBf16(launch.choices.out_rounding, AllTokens(launch, item->out_acc),
                          AllTokens(launch, item->out_raw));
  if (launch.config.record) Record(launch, place, *item);
}

}  // namespace samebits::kda_decode
