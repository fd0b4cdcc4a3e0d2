// A KDA task (SPEC.md 4.7 to 4.11): 16 state rows of one head of one request. The eight tasks of a
// head exchange their channels of q and k, and their parts of the output norm.
#ifndef SAMEBITS_GPU_KDA_PRE_TASK_H_
#define SAMEBITS_GPU_KDA_PRE_TASK_H_

#include "gpu/kda_pre/role.h"

namespace samebits::gpu::kda_pre {

/// L: tokens per request.
template <class Lane, int L, Form kForm, bool kTaps>
class Task : public Role<Lane, kForm> {
  using Base = Role<Lane, kForm>;
  using Base::lane, Base::math, Base::p, Base::thread, Base::wave, Base::wave_lane;
  static constexpr TaskLds kAt = MakeTaskLds(L);
  static constexpr int kConvThreads = 3 * kValueChunk;
  static constexpr int kWindow = kConvWidth - 1;

 public:
  SAMEBITS_DEVICE Task(const Base& base, int task)
      : Base(base),
        request_(task / kTasksPerRequest),
        head_(task / kValueChunks % kHeads),
        chunk_(task % kValueChunks) {}

  SAMEBITS_DEVICE void Run() {
    StageInputs();
    Convolve();
    Gates();
    Normalise();
    Recur();
    NormaliseOutput();
  }

 private:
  /// Everything that no other block computes is under way before the first wait.
  SAMEBITS_DEVICE void StageInputs() {
    const auto& o = p.operands;
    const int32_t* slots = o.st_idx + request_ * o.st_idx_request;
    const int current = lane.Uniform(lane.LoadGlobal(o.num_acc + request_)) - 1;
    conv_slot_ = lane.Uniform(lane.LoadGlobal(slots));
    const int source = lane.Uniform(lane.LoadGlobal(slots + current));
    live_ = source > 0;
    SAMEBITS_UNROLL
    for (int j = 0; j < L; ++j) slots_[j] = lane.Uniform(lane.LoadGlobal(slots + j));
    StageConvolution(current);
    state_at_ =
        (head_ * kHeadDim + chunk_ * kValueChunk + thread / 32) * kHeadDim + thread % 32 * 4;
    const Float4 s = lane.LoadGlobal(reinterpret_cast<const Float4*>(
        o.rstate + (live_ ? source : 0) * o.rstate_slot + state_at_));
    state_[0] = s.x, state_[1] = s.y, state_[2] = s.z, state_[3] = s.w;
    const int row = head_ * kHeadDim + wave * 16 + wave_lane % 16;
    const uint16_t* rank = o.w_fb + row * kHeadDim + wave_lane / 16 * 32;
    SAMEBITS_UNROLL
    for (int q = 0; q < 4; ++q) {
      rank_weights_[q] = lane.LoadGlobal(reinterpret_cast<const Word4*>(rank + 8 * q));
    }
    rate_ = lane.LoadGlobal(o.a_log + head_);
    const float* bias = o.dt_bias + head_ * kHeadDim + GateRow(0);
    SAMEBITS_UNROLL
    for (int i = 0; i < 4; ++i) bias_[i] = lane.LoadGlobal(bias + i);
  }

  SAMEBITS_DEVICE void StageConvolution(int current) {
    const auto& o = p.operands;
    const int own = Least(thread, kConvThreads - 1);
    part_ = own / kValueChunk;
    channel_ = part_ * kProjection + head_ * kHeadDim + chunk_ * kValueChunk + own % kValueChunk;
    const int64_t slot = conv_slot_ > 0 ? conv_slot_ : 0;
    conv_ = o.conv_state + slot * o.conv_slot + channel_ * o.conv_channel;
    conv_from_ = current;
    SAMEBITS_UNROLL
    for (int i = 0; i < kWindow; ++i) {
      window_[i] = lane.LoadGlobal(conv_ + (current + i) * o.conv_position);
    }
    const Float4 w = lane.LoadGlobal(reinterpret_cast<const Float4*>(o.conv_w + channel_ * 4));
    taps_[0] = w.x, taps_[1] = w.y, taps_[2] = w.z, taps_[3] = w.w;
  }

  /// 4.7, by 48 threads with a channel each.
  SAMEBITS_DEVICE void Convolve() {
    if (thread < kConvThreads) {
      const Word2* at[L];
      uint32_t words[L];
      SAMEBITS_UNROLL
      for (int j = 0; j < L; ++j) at[j] = Projected(j, channel_);
      this->template Poll<L>(at, Stage::kConv, words);
      if (conv_slot_ > 0) StoreWindow(words);
      float sequence[kWindow + L];
      SAMEBITS_UNROLL
      for (int i = 0; i < kWindow; ++i) sequence[i] = lane.FromBf16(window_[i]);
      SAMEBITS_UNROLL
      for (int j = 0; j < L; ++j) sequence[kWindow + j] = lane.FromBits(words[j]);
      SAMEBITS_UNROLL
      for (int j = 0; j < L; ++j) {
        float sum = 0.0f;
        SAMEBITS_UNROLL
        for (int i = 0; i < kConvWidth; ++i) {
          sum = lane.Add(sum, lane.Mul(taps_[i], sequence[j + i]));
        }
        HandOn(j, math.Bf(lane.Mul(sum, math.Sigmoid(sum))));
      }
    }
    lane.BlockBarrier();
  }

  /// The kept entries move to the front, where this thread alone reads and writes; then X.
  SAMEBITS_DEVICE void StoreWindow(const uint32_t (&words)[L]) const {
    const int64_t step = p.operands.conv_position;
    const int kept = p.state_len - L;
    lane.StoreGlobal(conv_, window_[1]);
    lane.StoreGlobal(conv_ + step, window_[2]);
    SAMEBITS_ROLLED
    for (int i = 2; i < kept; ++i) {
      lane.StoreGlobal(conv_ + i * step, lane.LoadGlobal(conv_ + (conv_from_ + 1 + i) * step));
    }
    SAMEBITS_UNROLL
    for (int j = 0; j < L; ++j) {
      lane.StoreGlobal(conv_ + (kept + j) * step, static_cast<uint16_t>(words[j] >> 16));
    }
  }

  SAMEBITS_DEVICE void HandOn(int j, float value) const {
    const int d = thread % kValueChunk;
    if (part_ == 2) {
      lane.StoreShared(this->template Lds<float>(kAt.v) + j * kValueChunk + d, value);
    } else {
      const int64_t at = QkIndex(j) + part_ * kHeadDim + chunk_ * kValueChunk + d;
      this->Put(p.mailboxes.qk, at, value);
      if constexpr (kTaps) lane.StoreGlobal(p.taps.qk + at, value);
    }
    if constexpr (kTaps) {
      const int64_t at = (HeadIndex(j)) * kHeadDim + chunk_ * kValueChunk + d;
      if (part_ == 2) lane.StoreGlobal(p.taps.v + at, value);
    }
  }

  /// 4.8.
  SAMEBITS_DEVICE void Gates() {
    FetchRank();
    FetchQk();
    if (thread < L) {
      const float beta = math.Sigmoid(
          this->PollOne(Projected(thread, samebits::kda_pre::kBetaRow + head_), Stage::kBeta));
      lane.StoreShared(this->template Lds<float>(kAt.beta) + thread, beta);
      if constexpr (kTaps) {
        if (chunk_ == 0) lane.StoreGlobal(p.taps.beta + Row(thread) * kHeads + head_, beta);
      }
    }
    lane.BlockBarrier();
    const int token = Least(wave_lane % 16, L - 1);
    Float4 sum = {0.0f, 0.0f, 0.0f, 0.0f};
    SAMEBITS_UNROLL
    for (int q = 0; q < 4; ++q) {
      const int at = kAt.rank + token * kRankPitch + (wave_lane / 16 * 32 + 8 * q) * 2;
      math.MultiplyStep(sum, rank_weights_[q],
                        lane.LoadShared(this->template Lds<const Word4>(at)));
    }
    const float aa = math.Exp2(lane.Mul(rate_, math.Log2E()));
    const float raw[4] = {math.Bf(sum.x), math.Bf(sum.y), math.Bf(sum.z), math.Bf(sum.w)};
    SAMEBITS_UNROLL
    for (int i = 0; i < 4; ++i) {
      const float g = lane.Add(raw[i], bias_[i]);
      const float gate = lane.Mul(p.lower_bound, math.Sigmoid(lane.Mul(aa, g)));
      const float decay = math.Exp2(lane.Mul(gate, math.Log2E()));
      if (wave_lane % 16 >= L) continue;
      lane.StoreShared(this->template Lds<float>(kAt.decay) + token * kHeadDim + GateRow(i), decay);
      if constexpr (kTaps) {
        const int64_t at = Row(token) * kProjection + head_ * kHeadDim + GateRow(i);
        if (chunk_ == 0) {
          lane.StoreGlobal(p.taps.gate_raw + at, raw[i]);
          lane.StoreGlobal(p.taps.decay + at, decay);
        }
      }
    }
  }

  SAMEBITS_DEVICE void FetchRank() const {
    constexpr int kElements = L * kHeadDim, kEach = (kElements + kThreads - 1) / kThreads;
    const Word2* at[kEach];
    uint32_t words[kEach];
    SAMEBITS_UNROLL
    for (int i = 0; i < kEach; ++i) {
      const int e = Least(thread + i * kThreads, kElements - 1);
      at[i] = Projected(e / kHeadDim, samebits::kda_pre::kRankRow + e % kHeadDim);
    }
    this->template Poll<kEach>(at, Stage::kRank, words);
    SAMEBITS_UNROLL
    for (int i = 0; i < kEach; ++i) {
      const int e = thread + i * kThreads;
      if (e >= kElements) continue;
      lane.StoreShared(
          this->template Lds<uint16_t>(kAt.rank + e / kHeadDim * kRankPitch) + e % kHeadDim,
          static_cast<uint16_t>(words[i] >> 16));
    }
  }

  SAMEBITS_DEVICE void FetchQk() const {
    constexpr int kElements = L * 2 * kHeadDim, kEach = (kElements + kThreads - 1) / kThreads;
    const Word2* at[kEach];
    uint32_t words[kEach];
    SAMEBITS_UNROLL
    for (int i = 0; i < kEach; ++i) {
      at[i] = p.mailboxes.qk + QkIndex(0) + Least(thread + i * kThreads, kElements - 1);
    }
    this->template Poll<kEach>(at, Stage::kQk, words);
    SAMEBITS_UNROLL
    for (int i = 0; i < kEach; ++i) {
      const int e = thread + i * kThreads;
      if (e < kElements) {
        lane.StoreShared(this->template Lds<float>(kAt.qk) + e, lane.FromBits(words[i]));
      }
    }
  }

  /// 4.9: a wave per row of q or k, in place.
  SAMEBITS_DEVICE void Normalise() const {
    SAMEBITS_UNROLL
    for (int first = 0; first < 2 * L; first += kWaves) {
      const int row = first + wave;
      if (row >= 2 * L) continue;  // a whole wave: it may not even read what others rewrite
      float* x = this->template Lds<float>(kAt.qk) + row * kHeadDim + wave_lane;
      const float x0 = lane.LoadShared(x), x1 = lane.LoadShared(x + kWaveLanes);
      const float squares = math.WaveSum(lane.Add(lane.Mul(x0, x0), lane.Mul(x1, x1)));
      float scale = math.Rsq(lane.Add(squares, lane.FromBits(0x358637BDu)));
      if (row % 2 == 0) scale = lane.Mul(scale, lane.FromBits(0x3DB504F3u));
      const float y0 = lane.Mul(x0, scale), y1 = lane.Mul(x1, scale);
      lane.StoreShared(x, y0);
      lane.StoreShared(x + kWaveLanes, y1);
      if constexpr (kTaps) {
        if (chunk_ != 0) continue;
        float* tap = p.taps.qkn + (Row(row / 2) * kHeads + head_) * 2 * kHeadDim +
                     row % 2 * kHeadDim + wave_lane;
        lane.StoreGlobal(tap, y0);
        lane.StoreGlobal(tap + kWaveLanes, y1);
      }
    }
    lane.BlockBarrier();
  }

  SAMEBITS_DEVICE void LoadRow(int offset, int row, float (&to)[4]) const {
    const Float4 v =
        lane.LoadShared(this->template Lds<const Float4>(offset) + row * 32 + thread % 32);
    to[0] = v.x, to[1] = v.y, to[2] = v.z, to[3] = v.w;
  }

  /// 4.10: thread t has keys 4 (t mod 32).. of state row t / 32.
  SAMEBITS_DEVICE void Recur() {
    const int v = thread / 32;
    const float* values = this->template Lds<float>(kAt.v);
    const float* betas = this->template Lds<float>(kAt.beta);
    float s[4];
    SAMEBITS_UNROLL
    for (int i = 0; i < 4; ++i) s[i] = live_ ? state_[i] : 0.0f;
    SAMEBITS_UNROLL
    for (int j = 0; j < L; ++j) {
      float query[4], key[4], decay[4];
      LoadRow(kAt.qk, 2 * j, query);
      LoadRow(kAt.qk, 2 * j + 1, key);
      LoadRow(kAt.decay, j, decay);
      SAMEBITS_UNROLL
      for (int i = 0; i < 4; ++i) s[i] = lane.Mul(s[i], decay[i]);
      const float dot = math.HalfWaveSum(math.Dot4(s, key));
      const float correction = lane.Mul(
          lane.Sub(lane.LoadShared(values + j * kValueChunk + v), dot), lane.LoadShared(betas + j));
      SAMEBITS_UNROLL
      for (int i = 0; i < 4; ++i) s[i] = lane.Add(s[i], lane.Mul(correction, key[i]));
      float out = math.Bf(math.HalfWaveSum(math.Dot4(s, query)));
      if (!live_) out = 0.0f;
      const Float4 state = {s[0], s[1], s[2], s[3]};
      if (live_ && slots_[j] > 0) {
        lane.StoreGlobal(reinterpret_cast<Float4*>(p.operands.rstate +
                                                   slots_[j] * p.operands.rstate_slot + state_at_),
                         state);
      }
      if (thread % 32 == 0) {
        lane.StoreShared(this->template Lds<float>(kAt.out) + j * kValueChunk + v, out);
      }
      if constexpr (kTaps) TapRecurrence(j, v, dot, correction, state, out);
    }
    lane.BlockBarrier();
    PublishNorm();
  }

  SAMEBITS_DEVICE void TapRecurrence(int j, int v, float dot, float correction, Float4 state,
                                     float out) const {
    const int64_t at = (Row(j) * kHeads + head_) * kHeadDim + chunk_ * kValueChunk + v;
    lane.StoreGlobal(
        reinterpret_cast<Float4*>(p.taps.state_after + at * kHeadDim + thread % 32 * 4), state);
    if (thread % 32 != 0) return;
    lane.StoreGlobal(p.taps.dot + at, dot);
    lane.StoreGlobal(p.taps.correction + at, correction);
    lane.StoreGlobal(p.taps.out_raw + at, out);
  }

  SAMEBITS_DEVICE void PublishNorm() const {
    if (thread >= L) return;
    const float* out = this->template Lds<float>(kAt.out) + thread * kValueChunk;
    float sum = 0.0f;
    SAMEBITS_UNROLL
    for (int e = 0; e < kValueChunk; ++e) {
      const float x = lane.LoadShared(out + e);
      sum = lane.Add(sum, lane.Mul(x, x));
    }
    const int64_t at = HeadIndex(thread) * kValueChunks + chunk_;
    this->Put(p.mailboxes.onrm, at, sum);
    if constexpr (kTaps) lane.StoreGlobal(p.taps.onrm + at, sum);
  }

  /// 4.11.
  SAMEBITS_DEVICE void NormaliseOutput() const {
    if (thread < L * kValueChunk) {
      const int j = thread / kValueChunk, value = chunk_ * kValueChunk + thread % kValueChunk;
      const Word2* at[kValueChunks + 1];
      uint32_t words[kValueChunks + 1];
      SAMEBITS_UNROLL
      for (int i = 0; i < kValueChunks; ++i) {
        at[i] = p.mailboxes.onrm + HeadIndex(j) * kValueChunks + i;
      }
      const int channel = head_ * kHeadDim + value;
      at[kValueChunks] = Projected(j, samebits::kda_pre::kGateRow + channel);
      this->template Poll<kValueChunks + 1>(at, Stage::kNorm, words);
      float sum = lane.FromBits(words[0]);
      SAMEBITS_UNROLL
      for (int i = 1; i < kValueChunks; ++i) sum = lane.Add(sum, lane.FromBits(words[i]));
      const float inverse =
          math.Rsq(lane.Add(lane.Mul(sum, lane.FromBits(0x3C000000u)), p.onorm_eps));
      const float out = lane.LoadShared(this->template Lds<float>(kAt.out) + thread);
      const float y =
          lane.Mul(lane.Mul(lane.Mul(out, inverse), this->LoadBf16(p.operands.on_w + value)),
                   math.Sigmoid(lane.FromBits(words[kValueChunks])));
      lane.StoreGlobal(p.operands.core_out + Row(j) * kProjection + channel, lane.ToBf16(y));
    }
    lane.BlockBarrier();
  }

  SAMEBITS_DEVICE int64_t Row(int token) const { return request_ * L + token; }
  /// Of (request, head, token).
  SAMEBITS_DEVICE int64_t HeadIndex(int token) const {
    return (static_cast<int64_t>(request_) * kHeads + head_) * L + token;
  }
  SAMEBITS_DEVICE int64_t QkIndex(int token) const { return HeadIndex(token) * 2 * kHeadDim; }
  SAMEBITS_DEVICE const Word2* Projected(int token, int row) const {
    return p.mailboxes.proj + Row(token) * kInProjRows + row;
  }
  /// The row of f_b in register i of the accumulator.
  SAMEBITS_DEVICE int GateRow(int i) const { return wave * 16 + wave_lane / 16 * 4 + i; }

  const int request_, head_, chunk_;
  int conv_slot_, conv_from_, part_, channel_, state_at_;
  int slots_[L];
  bool live_;
  uint16_t* conv_;
  uint16_t window_[kWindow];
  float taps_[kConvWidth];
  float state_[4];
  Word4 rank_weights_[4];
  float rate_;
  float bias_[4];
};

}  // namespace samebits::gpu::kda_pre

#endif  // SAMEBITS_GPU_KDA_PRE_TASK_H_
