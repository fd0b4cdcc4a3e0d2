// Partial sums to their owners over distributed shared memory, owner sums and what follows from
// them, on sm_100a (SPEC.md 6.4, 6.5, 4.8).
#ifndef SAMEBITS_GPU_SHARED_EXPERT_BLACKWELL_REDUCE_CUH_
#define SAMEBITS_GPU_SHARED_EXPERT_BLACKWELL_REDUCE_CUH_

#include "gpu/shared_expert/blackwell_block.cuh"

namespace samebits::gpu::shared_expert {

template <class Lane, int N, bool kFront, bool kTaps>
struct BlackwellReducer {
  const Lane& lane;
  const Params& params;
  std::byte* base;  // of the block's shared memory
  BlackwellLayout at;
  uint64_t* receive;  // mbarrier
  int tile;
  int rank;

  /// Token t's place in a row of column j: with front rows the row's 16-byte chunks rotate by j, so
  /// that staging them has no bank conflicts.
  static SAMEBITS_DEVICE int Slot(int t, int j) {
    return kFront ? (t / 4 + j) % (N / 4) * 4 + t % 4 : t;
  }

  /// The accumulator's row of this thread to the owner of its h column.
  SAMEBITS_DEVICE void Push(const float (&values)[kTmemColumns<N>]) const {
    const int row = lane.ThreadIndex() / 32 * 16 + lane.ThreadIndex() % 32;
    const bool holds_row = lane.ThreadIndex() % 32 < 16;
    if constexpr (kTaps) {
      if (holds_row) TapRow(row, values);
    }
    if constexpr (kFront) {
      if (holds_row) StageRow(row, values);
      lane.FenceProxyAsync();
      lane.NamedBarrier(kLoaderBarrier, kLoaders);
      if (lane.ThreadIndex() < params.owners) SendStaged(lane.ThreadIndex());
    } else {
      if (holds_row) SendRow(row, values);
    }
  }

  /// Owners only, after the parts have arrived.
  SAMEBITS_DEVICE void Reduce() const {
    if (!kFront || tile < params.gate_tiles) {
      OwnedColumns();
    } else {
      PublishRows();
    }
  }

 private:
  SAMEBITS_DEVICE float* received() const { return reinterpret_cast<float*>(base + at.received); }
  SAMEBITS_DEVICE uint16_t* staged() const { return reinterpret_cast<uint16_t*>(base + at.staged); }
  SAMEBITS_DEVICE float* published() const { return reinterpret_cast<float*>(base + at.published); }
  /// Row of the receive buffer, or with source 0 of the staged rows of an owner.
  SAMEBITS_DEVICE int Cell(int source, int half, int j) const {
    return (source * 2 + half) * params.owner_width + j;
  }

  SAMEBITS_DEVICE void TapRow(int row, const float (&values)[kTmemColumns<N>]) const {
    float* to =
        params.taps.part + (int64_t{tile * params.ks + rank} * kTileRows + row) * params.batch;
    SAMEBITS_UNROLL
    for (int t = 0; t < N; ++t) {
      if (t < params.batch) lane.StoreGlobal(to + t, values[t]);
    }
  }
  SAMEBITS_DEVICE void SendRow(int row, const float (&values)[kTmemColumns<N>]) const {
    const int column = row % 32, owner = column / params.owner_width;
    const int cell = Cell(rank, row / 32, column % params.owner_width);
    const auto to = lane.MapShared(received() + cell * N, owner);
    const auto barrier = lane.MapShared(receive, owner);
    SAMEBITS_UNROLL
    for (int v = 0; v < N / 4; ++v) {
      lane.StoreAsync(
          to + 16 * v,
          Float4{values[4 * v], values[4 * v + 1], values[4 * v + 2], values[4 * v + 3]}, barrier);
    }
  }
  SAMEBITS_DEVICE void StageRow(int row, const float (&values)[kTmemColumns<N>]) const {
    const int column = row % 32, owner = column / params.owner_width;
    const int j = column % params.owner_width;
    float* to = reinterpret_cast<float*>(base) + Cell(owner, row / 32, j) * N;
    SAMEBITS_UNROLL
    for (int v = 0; v < N / 4; ++v) {
      lane.StoreShared(
          reinterpret_cast<Float4*>(to + Slot(4 * v, j)),
          Float4{values[4 * v], values[4 * v + 1], values[4 * v + 2], values[4 * v + 3]});
    }
  }
  SAMEBITS_DEVICE void SendStaged(int owner) const {
    const int floats = 2 * params.owner_width * N;
    lane.BulkCopyRemote(lane.MapShared(received() + rank * floats, owner),
                        base + 4 * owner * floats, 4 * floats, lane.MapShared(receive, owner));
  }

  SAMEBITS_DEVICE float OwnerSum(int half, int j, int t) const {
    float sum = 0.0f;
    SAMEBITS_ROLLED
    for (int source = 0; source < params.ks; ++source) {
      sum = lane.Add(sum, lane.LoadShared(received() + Cell(source, half, j) * N + Slot(t, j)));
    }
    if constexpr (kTaps) {
      const int row = 32 * half + params.owner_width * rank + j;
      const int64_t to = (int64_t{tile} * kTileRows + row) * params.batch + t;
      lane.StoreGlobal(params.taps.sum + to, sum);
    }
    return sum;
  }

  SAMEBITS_DEVICE void OwnedColumns() const {
    const int width = params.owner_width, column0 = 32 * tile + width * rank;
    SAMEBITS_ROLLED
    for (int item = lane.ThreadIndex(); item < width * params.batch; item += kLoaders) {
      const int j = item / params.batch, t = item % params.batch;
      const float g = lane.FromBf16(lane.ToBf16(OwnerSum(0, j, t)));
      const float u = lane.FromBf16(lane.ToBf16(OwnerSum(1, j, t)));
      const float a = SituGate(lane, params, g), b = SituUp(lane, params, u);
      const float value = lane.Mul(a, b);
      lane.StoreShared(staged() + t * width + j, lane.ToBf16(value));
      if constexpr (kTaps) {
        const int64_t to = int64_t{t} * params.hidden + column0 + j;
        lane.StoreGlobal(params.taps.gate + to, lane.ToBf16(g));
        lane.StoreGlobal(params.taps.up + to, lane.ToBf16(u));
        lane.StoreGlobal(params.taps.situ_gate + to, a);
        lane.StoreGlobal(params.taps.situ_up + to, b);
        lane.StoreGlobal(params.taps.situ + to, value);
        lane.StoreGlobal(params.taps.h + to, lane.ToBf16(value));
      }
    }
    lane.NamedBarrier(kLoaderBarrier, kLoaders);
    const int t = lane.ThreadIndex();
    if (t >= params.batch) return;
    uint16_t* to = params.h + int64_t{t} * params.hidden + column0;
    const uint16_t* from = staged() + t * width;
    if (width == 8) {
      lane.StoreGlobal(reinterpret_cast<Word4*>(to),
                       lane.LoadShared(reinterpret_cast<const Word4*>(from)));
    } else {
      lane.StoreGlobal(reinterpret_cast<Word2*>(to),
                       lane.LoadShared(reinterpret_cast<const Word2*>(from)));
    }
  }

  SAMEBITS_DEVICE void PublishRows() const {
    const int width = params.owner_width;
    SAMEBITS_ROLLED
    for (int item = lane.ThreadIndex(); item < width * params.batch; item += kLoaders) {
      const int j = item / params.batch, t = item % params.batch;
      for (int half = 0; half < 2; ++half) {
        lane.StoreShared(published() + (2 * t + half) * (width + 1) + j, OwnerSum(half, j, t));
      }
    }
    lane.NamedBarrier(kLoaderBarrier, kLoaders);
    SAMEBITS_ROLLED
    for (int item = lane.ThreadIndex(); item < 2 * params.batch; item += kLoaders) {
      const int t = item / 2, half = item % 2;
      const int row = kTileRows * (tile - params.gate_tiles) + 32 * half + width * rank;
      const float* values = published() + item * (width + 1);
      if (row < params.front_valid) {
        PublishLogits(t, row, values);
      } else if (row >= params.front_split && row - params.front_split < params.latent_shard) {
        PublishLatent(t, row - params.front_split, values);
      }
    }
  }
  SAMEBITS_DEVICE void PublishLogits(int t, int row, const float* values) const {
    const int64_t to = t * params.front_pitch + params.latent + 2 * (params.front_slot + row);
    SAMEBITS_ROLLED
    for (int v = 0; v < params.owner_width; v += 4) {
      uint32_t word[4];
      SAMEBITS_UNROLL
      for (int i = 0; i < 4; ++i) {
        word[i] = lane.Bits(lane.LoadShared(values + v + i));
        if (word[i] == 0x80000000u) word[i] = 0;
        if constexpr (kTaps) {
          lane.StoreGlobal(params.taps.front_logits + int64_t{t} * params.front_valid + row + v + i,
                           lane.FromBits(word[i]));
        }
      }
      StoreFront(to + 2 * v, Word4{word[0], word[1], word[2], word[3]});
    }
  }
  SAMEBITS_DEVICE void PublishLatent(int t, int column, const float* values) const {
    const int64_t to = t * params.front_pitch + params.front_base + column;
    SAMEBITS_ROLLED
    for (int v = 0; v < params.owner_width; v += 4) {
      uint32_t word[2];
      SAMEBITS_UNROLL
      for (int i = 0; i < 2; ++i) {
        const float low = lane.LoadShared(values + v + 2 * i);
        const float high = lane.LoadShared(values + v + 2 * i + 1);
        word[i] = PositiveZeroPair(lane.ToBf16Pair(low, high));
      }
      const Word2 words = {word[0], word[1]};
      StoreFront(to + v, words);
      if constexpr (kTaps) {
        uint16_t* tap = params.taps.front_latent + int64_t{t} * params.latent_shard + column + v;
        lane.StoreGlobal(reinterpret_cast<uint32_t*>(tap), words.x);
        lane.StoreGlobal(reinterpret_cast<uint32_t*>(tap + 2), words.y);
      }
    }
  }
  /// To every front mailbox alike; `at` in bf16 elements.
  template <typename V>
  SAMEBITS_DEVICE void StoreFront(int64_t at, V words) const {
    if (params.has_multicast) {
      lane.StoreMulticast(params.front_multicast, 2 * at, words);
      return;
    }
    SAMEBITS_ROLLED
    for (int peer = 0; peer < params.tp; ++peer) {
      lane.StoreSystem(reinterpret_cast<V*>(params.front_peers[peer] + at), words);
    }
  }
};

}  // namespace samebits::gpu::shared_expert

#endif  // SAMEBITS_GPU_SHARED_EXPERT_BLACKWELL_REDUCE_CUH_
