// Owner sums, SiTU and what follows from them, on sm_90a (SPEC.md 4.3, 4.4, 4.8). The blocks of a
// tile share its columns and tokens by warps: unit u = 2i + s covers tokens 8i..8i+7 and columns
// 16s..16s+15 of the tile's 32; a thread has two tokens of two columns 8 apart, gate and up.
#ifndef SAMEBITS_GPU_SHARED_EXPERT_HOPPER_REDUCE_CUH_
#define SAMEBITS_GPU_SHARED_EXPERT_HOPPER_REDUCE_CUH_

#include "gpu/shared_expert/hopper_block.cuh"
#include "gpu/shared_expert/watchdog.cuh"

namespace samebits::gpu::shared_expert {

SAMEBITS_DEVICE bool HasEmpty(const Word4& v) {
  return v.x == kEmpty || v.y == kEmpty || v.z == kEmpty || v.w == kEmpty;
}

template <class Lane, int N, bool kTaps>
struct Reducer {
  const Lane& lane;
  const Params& params;
  int tile;
  int rank;
  int half;  // of the exchanged h

  SAMEBITS_DEVICE void Run() const {
    const int warp = lane.ThreadIndex() / 32;
    constexpr int kUnits = N / 4, kWarps = kConsumers<N> / 32;
    SAMEBITS_ROLLED
    for (int unit = rank + params.ks * warp; unit < kUnits; unit += params.ks * kWarps) {
      Sums sums;
      Sum(unit, &sums);
      if constexpr (kTaps) TapSums(unit, sums);
      if (tile < params.gate_tiles) {
        Activate(unit, sums);
      } else {
        Publish(unit, sums);
      }
    }
  }

 private:
  /// [2r + t]: column or row r (8 apart), token t of the thread; `low` of tile rows 0..31.
  struct Sums {
    float low[4];
    float high[4];
  };
  static constexpr int kAtOnce = N < 32 ? 10 : 5;  // parts in flight per thread, two vectors each

  SAMEBITS_DEVICE int Column(int unit) const { return unit % 2 * 16 + lane.ThreadIndex() % 32 / 4; }
  SAMEBITS_DEVICE int Token(int unit) const { return unit / 2 * 8 + lane.ThreadIndex() % 4 * 2; }

  SAMEBITS_DEVICE void Sum(int unit, Sums* sums) const {
    SAMEBITS_UNROLL
    for (int k = 0; k < 4; ++k) sums->low[k] = sums->high[k] = 0.0f;
    const int64_t step = N / 8 * 128;
    Word4* part = params.exchange.parts + int64_t{tile} * params.ks * step + unit / 2 * 128 +
                  unit % 2 * 32 + lane.ThreadIndex() % 32;
    SAMEBITS_ROLLED
    for (int c = 0; c < params.ks; c += kAtOnce, part += kAtOnce * step) {
      const int count = params.ks - c < kAtOnce ? params.ks - c : kAtOnce;
      Word4 low[kAtOnce], high[kAtOnce];
      Receive(part, step, count, low, high);
      SAMEBITS_UNROLL
      for (int k = 0; k < kAtOnce; ++k) {
        if (k < count) {
          Accumulate(sums->low, low[k]);
          Accumulate(sums->high, high[k]);
          const Word4 empty = {kEmpty, kEmpty, kEmpty, kEmpty};
          lane.StoreRelaxed(part + k * step, empty);
          lane.StoreRelaxed(part + k * step + 64, empty);
        }
      }
    }
  }
  /// Rows 0..31 of the tile are warps 0 and 1 of a part, rows 32..63 warps 2 and 3.
  SAMEBITS_DEVICE void Receive(const Word4* part, int64_t step, int count, Word4 (&low)[kAtOnce],
                               Word4 (&high)[kAtOnce]) const {
    SAMEBITS_UNROLL
    for (int k = 0; k < kAtOnce; ++k) {
      low[k] = high[k] = {0, 0, 0, 0};
      if (k < count) {
        low[k] = lane.LoadRelaxed(part + k * step);
        high[k] = lane.LoadRelaxed(part + k * step + 64);
      }
    }
    Watchdog watchdog;
    bool missing = true;
    while (missing) {
      missing = false;
      SAMEBITS_UNROLL
      for (int k = 0; k < kAtOnce; ++k) {
        if (HasEmpty(low[k])) {
          low[k] = lane.LoadRelaxed(part + k * step);
          missing = true;
        }
        if (HasEmpty(high[k])) {
          high[k] = lane.LoadRelaxed(part + k * step + 64);
          missing = true;
        }
      }
      if (missing) watchdog.Count(lane);
    }
  }
  SAMEBITS_DEVICE void Accumulate(float (&sum)[4], const Word4& part) const {
    sum[0] = lane.Add(sum[0], lane.FromBits(part.x));
    sum[1] = lane.Add(sum[1], lane.FromBits(part.y));
    sum[2] = lane.Add(sum[2], lane.FromBits(part.z));
    sum[3] = lane.Add(sum[3], lane.FromBits(part.w));
  }
  SAMEBITS_DEVICE void TapSums(int unit, const Sums& sums) const {
    SAMEBITS_UNROLL
    for (int k = 0; k < 4; ++k) {
      const int row = Column(unit) + k / 2 * 8, token = Token(unit) + k % 2;
      if (token >= params.batch) continue;
      float* to = params.taps.sum + (int64_t{tile} * kTileRows + row) * params.batch + token;
      lane.StoreGlobal(to, sums.low[k]);
      lane.StoreGlobal(to + int64_t{32} * params.batch, sums.high[k]);
    }
  }

  /// h of the thread's columns and tokens.
  SAMEBITS_DEVICE void Activate(int unit, const Sums& sums) const {
    uint32_t bits[4];
    SAMEBITS_UNROLL
    for (int k = 0; k < 4; ++k) {
      const float g = lane.FromBf16(lane.ToBf16(sums.low[k]));
      const float u = lane.FromBf16(lane.ToBf16(sums.high[k]));
      const float a = SituGate(lane, params, g), b = SituUp(lane, params, u);
      const float value = lane.Mul(a, b);
      bits[k] = lane.ToBf16(value);
      if constexpr (kTaps) {
        TapActivation(32 * tile + Column(unit) + k / 2 * 8, Token(unit) + k % 2, g, u, a, b, value);
      }
    }
    const Pairs pairs = PairColumns(bits);
    const int token = Token(unit) + odd_column();
    const int column = 32 * tile + Column(unit) - odd_column();
    if (token >= params.batch) return;
    SAMEBITS_UNROLL
    for (int r = 0; r < 2; ++r) StorePair(token, column + 8 * r, pairs.of[r]);
  }
  SAMEBITS_DEVICE void StorePair(int token, int column, uint32_t pair) const {
    const int64_t at = int64_t{token} * params.hidden + column;
    lane.StoreGlobal(reinterpret_cast<uint32_t*>(params.h + at), pair);
    if constexpr (kTaps) lane.StoreGlobal(reinterpret_cast<uint32_t*>(params.taps.h + at), pair);
    if (params.down_tiles == 0) return;
    auto* half_at = reinterpret_cast<std::byte*>(params.exchange.h +
                                                 int64_t{half} * 8 * N * params.down_blocks);
    const int offset = column / kBlockK * N * 128 + TileOffset(token, column % kBlockK);
    lane.template AtomicStore<Order::kRelaxed>(reinterpret_cast<uint32_t*>(half_at + offset), pair);
  }
  SAMEBITS_DEVICE void TapActivation(int column, int token, float g, float u, float a, float b,
                                     float value) const {
    if (token >= params.batch) return;
    const int64_t at = int64_t{token} * params.hidden + column;
    lane.StoreGlobal(params.taps.gate + at, lane.ToBf16(g));
    lane.StoreGlobal(params.taps.up + at, lane.ToBf16(u));
    lane.StoreGlobal(params.taps.situ_gate + at, a);
    lane.StoreGlobal(params.taps.situ_up + at, b);
    lane.StoreGlobal(params.taps.situ + at, value);
  }

  /// Neighbours in a column pair are four lanes apart. They exchange halves, so that the thread of
  /// the even column gets both columns of its first token, the other those of the second.
  struct Pairs {
    uint32_t of[2];  // columns 8 apart; even column in the low half
  };
  SAMEBITS_DEVICE int odd_column() const { return lane.ThreadIndex() % 32 / 4 % 2; }
  SAMEBITS_DEVICE Pairs PairColumns(const uint32_t (&bits)[4]) const {
    const bool odd = odd_column() != 0;
    const uint32_t given = odd ? bits[0] | bits[2] << 16 : bits[1] | bits[3] << 16;
    const uint32_t got = lane.Bits(lane.ShuffleXor(lane.FromBits(given), 4));
    if (odd) return {{(got & 0xFFFFu) | bits[1] << 16, got >> 16 | bits[3] << 16}};
    return {{bits[0] | got << 16, bits[2] | (got & 0xFFFF0000u)}};
  }

  // Front rows: `low` and `high` are rows of the same kind, 32 apart (4.8).
  SAMEBITS_DEVICE void Publish(int unit, const Sums& sums) const {
    const int row = kTileRows * (tile - params.gate_tiles) + Column(unit);
    PublishRows(unit, row, sums.low);
    PublishRows(unit, row + 32, sums.high);
  }
  SAMEBITS_DEVICE void PublishRows(int unit, int row, const float (&sum)[4]) const {
    uint32_t bits[4];
    SAMEBITS_UNROLL
    for (int k = 0; k < 4; ++k) {
      PublishLogit(row + k / 2 * 8, Token(unit) + k % 2, sum[k]);
      bits[k] = PositiveZero(lane.ToBf16(sum[k]));
    }
    const Pairs pairs = PairColumns(bits);
    const int token = Token(unit) + odd_column();
    if (token >= params.batch) return;
    SAMEBITS_UNROLL
    for (int r = 0; r < 2; ++r) {
      PublishLatent(row - odd_column() + 8 * r - params.front_split, token, pairs.of[r]);
    }
  }
  SAMEBITS_DEVICE void PublishLogit(int row, int token, float sum) const {
    if (row >= params.front_valid || token >= params.batch) return;
    const float value = lane.Bits(sum) == 0x80000000u ? 0.0f : sum;
    const int64_t at = token * params.front_pitch + params.latent + 2 * (params.front_slot + row);
    SAMEBITS_ROLLED
    for (int peer = 0; peer < params.tp; ++peer) {
      lane.StoreGlobal(reinterpret_cast<float*>(params.front_peers[peer] + at), value);
    }
    if constexpr (kTaps) {
      lane.StoreGlobal(params.taps.front_logits + int64_t{token} * params.front_valid + row, value);
    }
  }
  SAMEBITS_DEVICE void PublishLatent(int column, int token, uint32_t pair) const {
    if (column < 0 || column >= params.latent_shard) return;
    const int64_t at = token * params.front_pitch + params.front_base + column;
    SAMEBITS_ROLLED
    for (int peer = 0; peer < params.tp; ++peer) {
      lane.StoreGlobal(reinterpret_cast<uint32_t*>(params.front_peers[peer] + at), pair);
    }
    if constexpr (kTaps) {
      uint16_t* to = params.taps.front_latent + int64_t{token} * params.latent_shard + column;
      lane.StoreGlobal(reinterpret_cast<uint32_t*>(to), pair);
    }
  }
};

}  // namespace samebits::gpu::shared_expert

#endif  // SAMEBITS_GPU_SHARED_EXPERT_HOPPER_REDUCE_CUH_
