// The AttnRes seam (SPEC.md 4.1 to 4.4): blocks 0..55 own 128 columns each, block t < S also the
// source weights of token row t.
#ifndef SAMEBITS_GPU_KDA_PRE_SEAM_H_
#define SAMEBITS_GPU_KDA_PRE_SEAM_H_

#include "gpu/kda_pre/role.h"

namespace samebits::gpu::kda_pre {

inline constexpr int kQuads = kSliceColumns / 4;  // threads of a row: half a wave

template <class Lane, Form kForm, bool kTaps>
class Seam : public Role<Lane, kForm> {
  using Base = Role<Lane, kForm>;
  using Base::block, Base::lane, Base::math, Base::p, Base::thread, Base::wave, Base::wave_lane;

 public:
  SAMEBITS_DEVICE explicit Seam(const Base& base)
      : Base(base), sources_(p.nblocks + 1), column_(block * kSliceColumns) {}

  SAMEBITS_DEVICE void Run() const {
    Slice();
    if (block < p.rows) Gate(block);
    Mix();
  }

 private:
  /// 4.1, 4.2: the sources of every row into LDS, their partial sums published.
  SAMEBITS_DEVICE void Slice() const {
    const int items = p.rows * sources_ * kQuads;
    SAMEBITS_ROLLED
    for (int first = 0; first < items; first += kThreads) {
      // Threads beyond the last item compute a copy of it and store nothing.
      const bool live = first + thread < items;
      const int item = Least(first + thread, items - 1);
      const int pair = item / kQuads;
      const int row = pair / sources_, source = pair % sources_;
      const int column = column_ + item % kQuads * 4;
      float v[4];
      Source(row, source, column, live, v);
      if (live) {
        lane.StoreShared(reinterpret_cast<Float4*>(Values(pair) + item % kQuads * 4),
                         Float4{v[0], v[1], v[2], v[3]});
      }
      PublishPartials(pair, column, live, v);
    }
    lane.BlockBarrier();
  }

  SAMEBITS_DEVICE void Source(int row, int source, int column, bool live, float (&v)[4]) const {
    const auto& o = p.operands;
    const bool is_prefix = source == p.nblocks;
    const int at = row * kHidden + column;
    uint16_t* row_blocks = o.blocks + row * o.blocks_token + column;
    float stored[4], prefix[4];
    this->LoadQuad(row_blocks + Least(source, p.nblocks - 1) * o.blocks_block, stored);
    this->LoadQuad(o.prefix + at, prefix);
    if (p.has_delta) {
      AddDelta(at, prefix);
      if (live && is_prefix) {
        lane.StoreGlobal(reinterpret_cast<Word2*>(o.prefix + at), this->PackQuad(prefix));
      }
    }
    if (p.write_idx >= 0 && live && is_prefix) {
      lane.StoreGlobal(reinterpret_cast<Word2*>(row_blocks + p.write_idx * o.blocks_block),
                       this->PackQuad(prefix));
    }
    SAMEBITS_UNROLL
    for (int i = 0; i < 4; ++i) v[i] = is_prefix ? prefix[i] : stored[i];
  }

  SAMEBITS_DEVICE void AddDelta(int at, float (&prefix)[4]) const {
    const auto& o = p.operands;
    float delta[4];
    if (o.delta_lds != nullptr) {
      const Float4 f = lane.LoadGlobal(reinterpret_cast<const Float4*>(o.delta_lds + at));
      delta[0] = f.x, delta[1] = f.y, delta[2] = f.z, delta[3] = f.w;
    } else {
      this->LoadQuad(o.delta + at, delta);
    }
    SAMEBITS_UNROLL
    for (int i = 0; i < 4; ++i) {
      prefix[i] = p.reset ? delta[i] : math.Bf(lane.Add(prefix[i], delta[i]));
    }
  }

  SAMEBITS_DEVICE void PublishPartials(int pair, int column, bool live, const float (&v)[4]) const {
    float norm[4], key[4], weight[4];
    this->LoadQuad(p.operands.ares_nw + column, norm);
    this->LoadQuad(p.operands.ares_qk + column, key);
    SAMEBITS_UNROLL
    for (int i = 0; i < 4; ++i) weight[i] = lane.Mul(norm[i], key[i]);
    const float squares = math.HalfWaveSum(math.Dot4(v, v));
    const float dot = math.HalfWaveSum(math.Dot4(v, weight));
    if (!live || wave_lane % kQuads != 0) return;
    const int64_t at = (static_cast<int64_t>(block) * p.rows * sources_ + pair) * 2;
    this->Put(p.mailboxes.part, at, squares);
    this->Put(p.mailboxes.part, at + 1, dot);
    if constexpr (kTaps) {
      lane.StoreGlobal(p.taps.part + at, squares);
      lane.StoreGlobal(p.taps.part + at + 1, dot);
    }
  }

  /// 4.3: the weights of the sources of one row.
  SAMEBITS_DEVICE void Gate(int row) const {
    const int kinds = 2 * sources_;
    float* sums = Sums();
    if (thread < kSliceGroups * kinds) {
      const int group = thread / kinds, kind = thread % kinds;
      const int64_t stride = static_cast<int64_t>(p.rows) * kinds;
      const Word2* first = p.mailboxes.part + group * kGroupSlices * stride + row * kinds + kind;
      lane.StoreShared(sums + thread, this->SumOfGroup(first, stride, Stage::kGate));
    }
    lane.BlockBarrier();
    if (wave == 0) Weigh(row, sums, kinds);
    lane.BlockBarrier();
  }

  SAMEBITS_DEVICE void Weigh(int row, const float* sums, int kinds) const {
    const bool live = wave_lane < sources_;
    const float* own = sums + 2 * Least(wave_lane, sources_ - 1);
    const float squares = this->SumOfGroups(own, kinds);
    const float dot = this->SumOfGroups(own + 1, kinds);
    const float inverse = math.Rsq(lane.Add(lane.Mul(squares, lane.FromBits(0x39124925u)), p.eps));
    float logit = lane.Mul(lane.Mul(dot, inverse), math.Log2E());
    if (!live) logit = lane.FromBits(0xFF61B1E6u);  // MASK takes part in the maximum
    const float most = math.WaveMaximum(logit);
    const float e = live ? math.Exp2(lane.Sub(logit, most)) : 0.0f;
    const float sum = math.WaveSum(e);
    const int at = row * (sources_ + 1);
    if (live) Publish(at + wave_lane, e);
    if (wave_lane == 0) Publish(at + sources_, sum);
    if constexpr (kTaps) {
      if (live) lane.StoreGlobal(p.taps.logit + row * sources_ + wave_lane, logit);
    }
  }

  SAMEBITS_DEVICE void Publish(int at, float weight) const {
    this->Put(p.mailboxes.weight, at, weight);
    if constexpr (kTaps) lane.StoreGlobal(p.taps.weight + at, weight);
  }

  /// 4.4: the mix of the sources, its norm, and the rows of x.
  SAMEBITS_DEVICE void Mix() const {
    float* weights = Sums();
    if (thread < p.rows * (sources_ + 1)) {
      lane.StoreShared(weights + thread,
                       this->PollOne(p.mailboxes.weight + thread, Stage::kWeights));
    }
    lane.BlockBarrier();
    const bool live = thread < p.rows * kQuads;
    const int row = Least(thread / kQuads, p.rows - 1), quad = thread % kQuads * 4;
    float mixed[4];
    MixQuad(weights + row * (sources_ + 1), row, quad, mixed);
    const float inverse = NormOfRow(row, live, mixed);
    StoreRow(row, column_ + quad, live, mixed, inverse);
  }

  SAMEBITS_DEVICE void MixQuad(const float* weights, int row, int quad, float (&mixed)[4]) const {
    float sum[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    SAMEBITS_ROLLED
    for (int s = 0; s < sources_; ++s) {
      const float e = lane.LoadShared(weights + s);
      const Float4 v =
          lane.LoadShared(reinterpret_cast<const Float4*>(Values(row * sources_ + s) + quad));
      sum[0] = lane.Add(sum[0], lane.Mul(e, v.x));
      sum[1] = lane.Add(sum[1], lane.Mul(e, v.y));
      sum[2] = lane.Add(sum[2], lane.Mul(e, v.z));
      sum[3] = lane.Add(sum[3], lane.Mul(e, v.w));
    }
    const float all = lane.LoadShared(weights + sources_);
    SAMEBITS_UNROLL
    for (int i = 0; i < 4; ++i) mixed[i] = lane.Div(sum[i], all);
  }

  SAMEBITS_DEVICE float NormOfRow(int row, bool live, const float (&mixed)[4]) const {
    const float squares = math.HalfWaveSum(math.Dot4(mixed, mixed));
    if (live && wave_lane % kQuads == 0) {
      const int at = block * p.rows + row;
      this->Put(p.mailboxes.msq, at, squares);
      if constexpr (kTaps) lane.StoreGlobal(p.taps.msq + at, squares);
    }
    float* sums = Sums() + kSeamGroupSums;
    if (thread < kSliceGroups * p.rows) {
      const int group = thread / p.rows, of_row = thread % p.rows;
      const Word2* first = p.mailboxes.msq + group * kGroupSlices * p.rows + of_row;
      lane.StoreShared(sums + thread, this->SumOfGroup(first, p.rows, Stage::kMsq));
    }
    lane.BlockBarrier();
    const float total = this->SumOfGroups(sums + row, p.rows);
    return math.Rsq(lane.Add(lane.Mul(total, lane.FromBits(0x39124925u)), p.out_eps));
  }

  SAMEBITS_DEVICE void StoreRow(int row, int column, bool live, const float (&mixed)[4],
                                float inverse) const {
    float weight[4], x[4];
    this->LoadQuad(p.operands.in_nw + column, weight);
    SAMEBITS_UNROLL
    for (int i = 0; i < 4; ++i) x[i] = lane.Mul(lane.Mul(mixed[i], inverse), weight[i]);
    const Word2 words = this->PackQuad(x);
    const int64_t at = static_cast<int64_t>(row) * kHidden + column;
    if (live) {
      lane.StoreDevice(reinterpret_cast<Word2*>(p.mailboxes.x + at), words);
      if constexpr (kTaps) {
        lane.StoreGlobal(reinterpret_cast<Word2*>(p.taps.x + at), words);
        lane.StoreGlobal(reinterpret_cast<Float4*>(p.taps.mixed + at),
                         Float4{mixed[0], mixed[1], mixed[2], mixed[3]});
      }
    }
    // The rows are plain: every wave's stores are complete before the flag goes out (6.1).
    lane.WaitStores();
    lane.BlockBarrier();
    if (thread == 0) lane.PutMessage(p.mailboxes.x_ready + block, 1, this->tag);
  }

  SAMEBITS_DEVICE float* Sums() const { return this->template Lds<float>(kSeamSums); }
  /// The slice of source pair % NS of row pair / NS.
  SAMEBITS_DEVICE float* Values(int pair) const {
    return this->template Lds<float>(kSeamValues) + pair * kSliceColumns;
  }

  const int sources_, column_;
};

}  // namespace samebits::gpu::kda_pre

#endif  // SAMEBITS_GPU_KDA_PRE_SEAM_H_
