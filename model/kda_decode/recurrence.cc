// The gated delta rule on the state of one head (SPEC.md 3.8), states and records (2.4, 2.5).
#include <cstring>

#include "model/kda_decode/page.h"
#include "model/kda_decode/record.h"
#include "model/kda_decode/settle.h"
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

  /// Goes on with the given rows.
  void Take(const float* rows) {
    alignas(64) float page[kBlockValues * kHeadDim];
    Store(page);
    samebits::Take(rows, std::size(page), page);
    Load(page);
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

float* Page(const Operands& operands, const Place& place, int32_t slot) {
  return operands.state + slot * operands.state_slot_stride +
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

/// An output holds the state after the token: no later one goes to the same slot.
bool KeepsState(const Launch& launch, const Place& place, int token) {
  const int32_t target = Target(launch, place, token);
  bool keeps = target > 0;
  for (int t = token + 1; t < launch.config.tokens; ++t) {
    keeps = keeps && Target(launch, place, t) != target;
  }
  return keeps;
}

/// The state after the token, from value `first` on, is stored and replaced by the given one.
void SettleState(const Launch& launch, const Place& place, int t, int64_t rows, Block* block) {
  const int64_t tap = TapIndex(launch.config, place, t) * kHeadDim * kHeadDim + rows;
  if (launch.taps.state_after != nullptr) block->Store(launch.taps.state_after + tap);
  const int32_t target = Target(launch, place, t);
  if (target > 0) block->Store(Page(launch.operands, place, target) + rows);
  const Given& given = launch.given;
  if (given.operands.state != nullptr && KeepsState(launch, place, t)) {
    block->Take(Page(given.operands, place, target) + rows);
  }
  if (given.taps.state_after != nullptr) block->Take(given.taps.state_after + tap);
}

/// All tokens of the block from value `first` on.
void RecurBlock(const Launch& launch, const Place& place, int first, Item* item) {
  const Choices& choices = launch.choices;
  const Taps& taps = launch.taps;
  const Taps& given = launch.given.taps;
  const int64_t rows = int64_t{first} * kHeadDim;
  Block block(launch, item);
  block.Load(Page(launch.operands, place, place.slot) + rows);
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
    SettleBlock(launch, place, t, first, {taps.dot, given.dot}, item->dot[t] + first);
    Correct(launch, t, first, item);
    SettleBlock(launch, place, t, first, {taps.correction, given.correction},
                item->correction[t] + first);
    if (launch.config.record) {
      TakeRecordedCorrection(launch, place, t, first, item->correction[t] + first);
    }
    block.Update(kn, item->correction[t] + first, choices.update_multiply_add);
    SettleState(launch, place, t, rows, &block);
    block.Dot(launch.trees.out_dot, qn, item->out_acc[t] + first);
  }
}

}  // namespace

void Recur(const Launch& launch, const Place& place, Item* item) {
  for (int first = 0; first < kHeadDim; first += kBlockValues) {
    RecurBlock(launch, place, first, item);
  }
  SettleChannels(launch, place, {launch.taps.out_acc, launch.given.taps.out_acc}, item->out_acc);
  launch.math.RoundToBf16(launch.choices.out_rounding, AllTokens(launch, item->out_acc),
                          AllTokens(launch, item->out_raw));
  SettleChannels(launch, place, {launch.taps.out_raw, launch.given.taps.out_raw}, item->out_raw);
  if (launch.config.record) Record(launch, place, *item);
}

}  // namespace samebits::kda_decode
