// Owner sums, SiTU and what follows from them, on sm_90a (SPEC.md 4.3, 4.4, 4.8). The blocks of a
// tile share its columns and tokens by warps: a unit is 32 threads' values of 8 tokens and 16
// columns. A thread has one token of one column, gate and up (where there are many tokens two of
// them): SiTU takes a thread longer than the sums, and most warps have nothing else to do.
#ifndef SAMEBITS_GPU_SHARED_EXPERT_HOPPER_REDUCE_CUH_
#define SAMEBITS_GPU_SHARED_EXPERT_HOPPER_REDUCE_CUH_

#include "gpu/shared_expert/hopper_block.cuh"
#include "gpu/shared_expert/watchdog.cuh"

namespace samebits::gpu::shared_expert {

/// V words that one access moves.
template <int V>
struct WordsOf;
template <>
struct WordsOf<1> {
  using Type = uint32_t;
};
template <>
struct WordsOf<2> {
  using Type = Word2;
};

/// kEmpty is the largest word: whether some of many words are empty is a question to their largest.
SAMEBITS_DEVICE uint32_t Largest(uint32_t a, uint32_t b) { return a < b ? b : a; }
SAMEBITS_DEVICE uint32_t Largest(uint32_t v) { return v; }
SAMEBITS_DEVICE uint32_t Largest(const Word2& v) { return Largest(v.x, v.y); }
SAMEBITS_DEVICE uint32_t Largest(const Word4& v) {
  return Largest(Largest(v.x, v.y), Largest(v.z, v.w));
}
template <typename Words>
SAMEBITS_DEVICE bool HasEmpty(const Words& v) {
  return Largest(v) == kEmpty;
}

template <class Lane, int N, int kThreads, bool kTaps>
struct Reducer {
  const Lane& lane;
  const Params& params;
  int tile;
  int rank;
  int half;  // of the exchange

  SAMEBITS_DEVICE void Run() const {
    const int warp = lane.ThreadIndex() / 32;
    constexpr int kUnits = N / 4 * kShares, kWarps = kThreads / 32;
    SAMEBITS_ROLLED
    for (int unit = rank + params.ks * warp; unit < kUnits; unit += params.ks * kWarps) {
      const Place at = PlaceOf(unit);
      Sums sums;
      Sum(at, &sums);
      if constexpr (kTaps) TapSums(at, sums);
      if (tile < params.gate_tiles) {
        Activate(at, sums);
      } else {
        Publish(at, sums);
      }
      if constexpr (!kDownEmpties<N>) {
        if (params.down_tiles == 0) Empty(at);
      }
    }
  }

 private:
  /// Values of a thread: tokens of one column, gate and up.
  static constexpr int kValues = N < 32 ? 1 : 2;
  static constexpr int kShares = 4 / kValues;  // units of 8 tokens and 16 columns
  static constexpr int kAtOnce = 10;           // parts in flight per thread
  static constexpr int kBoxWords = 512;        // of 8 tokens in a part: four warps' fragments
  static constexpr int kUpWords = 256;         // from a warp's fragments to those 32 rows on
  static constexpr int kPartWords = N / 8 * kBoxWords;
  using Words = typename WordsOf<kValues>::Type;
  struct Sums {
    float low[kValues];  // tile rows 0..31
    float high[kValues];
  };
  struct Place {
    int word;    // in a part of the tile
    int column;  // of the tile's 32
    int token;
  };
  /// The thread's. The words of a unit lie in a row in the fragments of one warp of a part:
  /// accumulator k (hopper_block.cuh) of the fragment of lane f.
  SAMEBITS_DEVICE Place PlaceOf(int unit) const {
    const int box = unit / kShares;
    const int word = (unit % kShares * 32 + lane.ThreadIndex() % 32) * kValues;
    const int f = word / 4, k = word % 4;
    return {box / 2 * kBoxWords + box % 2 * 128 + word, box % 2 * 16 + f / 4 + k / 2 * 8,
            box / 2 * 8 + f % 4 * 2 + k % 2};
  }
  SAMEBITS_DEVICE uint32_t* parts(const Place& at) const {
    return reinterpret_cast<uint32_t*>(params.exchange.parts + int64_t{half} * params.part_chunks) +
           int64_t{tile} * params.ks * kPartWords + at.word;
  }
  static SAMEBITS_DEVICE Words* Vector(uint32_t* word) { return reinterpret_cast<Words*>(word); }

  SAMEBITS_DEVICE void Sum(const Place& at, Sums* sums) const {
    SAMEBITS_UNROLL
    for (int k = 0; k < kValues; ++k) sums->low[k] = sums->high[k] = 0.0f;
    uint32_t* part = parts(at);
    SAMEBITS_ROLLED
    for (int c = 0; c < params.ks; c += kAtOnce, part += kAtOnce * kPartWords) {
      Words low[kAtOnce], high[kAtOnce];
      Receive(part, params.ks - c, low, high);
      // Parts that are not there are +0, which changes no sum: none is -0.
      SAMEBITS_UNROLL
      for (int k = 0; k < kAtOnce; ++k) {
        Accumulate(sums->low, low[k]);
        Accumulate(sums->high, high[k]);
      }
    }
  }
  /// The next `count` parts, or kAtOnce of them. Rows 0..31 of the tile are warps 0 and 1 of a
  /// part, rows 32..63 warps 2 and 3.
  SAMEBITS_DEVICE void Receive(uint32_t* part, int count, Words (&low)[kAtOnce],
                               Words (&high)[kAtOnce]) const {
    SAMEBITS_UNROLL
    for (int k = 0; k < kAtOnce; ++k) {
      low[k] = high[k] = Words{};
      if (k < count) {
        low[k] = lane.LoadRelaxed(Vector(part + k * kPartWords));
        high[k] = lane.LoadRelaxed(Vector(part + k * kPartWords + kUpWords));
      }
    }
    Watchdog watchdog;
    while (LargestOf(low, high) == kEmpty) {
      SAMEBITS_UNROLL
      for (int k = 0; k < kAtOnce; ++k) {
        if (HasEmpty(low[k])) low[k] = lane.LoadRelaxed(Vector(part + k * kPartWords));
        if (HasEmpty(high[k])) high[k] = lane.LoadRelaxed(Vector(part + k * kPartWords + kUpWords));
      }
      watchdog.Count(lane);
    }
  }
  static SAMEBITS_DEVICE uint32_t LargestOf(const Words (&low)[kAtOnce],
                                            const Words (&high)[kAtOnce]) {
    uint32_t of_low = 0, of_high = 0;
    SAMEBITS_UNROLL
    for (int k = 0; k < kAtOnce; ++k) {
      of_low = Largest(of_low, Largest(low[k]));
      of_high = Largest(of_high, Largest(high[k]));
    }
    return Largest(of_low, of_high);
  }
  SAMEBITS_DEVICE void Accumulate(float (&sum)[kValues], uint32_t part) const {
    sum[0] = lane.Add(sum[0], lane.FromBits(part));
  }
  SAMEBITS_DEVICE void Accumulate(float (&sum)[kValues], const Word2& part) const {
    sum[0] = lane.Add(sum[0], lane.FromBits(part.x));
    sum[1] = lane.Add(sum[1], lane.FromBits(part.y));
  }
  /// The words that this thread alone reads, for the next launch.
  SAMEBITS_DEVICE void Empty(const Place& at) const {
    uint32_t* part = parts(at);
    SAMEBITS_ROLLED
    for (int c = 0; c < params.ks; ++c, part += kPartWords) {
      lane.StoreRelaxed(Vector(part), EmptyWords());
      lane.StoreRelaxed(Vector(part + kUpWords), EmptyWords());
    }
  }
  static SAMEBITS_DEVICE Words EmptyWords() {
    if constexpr (kValues == 1) {
      return kEmpty;
    } else {
      return Words{kEmpty, kEmpty};
    }
  }
  SAMEBITS_DEVICE void TapSums(const Place& at, const Sums& sums) const {
    SAMEBITS_UNROLL
    for (int k = 0; k < kValues; ++k) {
      if (at.token + k >= params.batch) continue;
      float* to =
          params.taps.sum + (int64_t{tile} * kTileRows + at.column) * params.batch + at.token + k;
      lane.StoreGlobal(to, sums.low[k]);
      lane.StoreGlobal(to + int64_t{32} * params.batch, sums.high[k]);
    }
  }

  /// h of the thread's column and tokens.
  SAMEBITS_DEVICE void Activate(const Place& at, const Sums& sums) const {
    uint32_t bits[kValues];
    SAMEBITS_UNROLL
    for (int k = 0; k < kValues; ++k) {
      const float g = lane.FromBf16(lane.ToBf16(sums.low[k]));
      const float u = lane.FromBf16(lane.ToBf16(sums.high[k]));
      const float a = SituGate(lane, params, g), b = SituUp(lane, params, u);
      const float value = lane.Mul(a, b);
      bits[k] = lane.ToBf16(value);
      if constexpr (kTaps) {
        TapActivation(32 * tile + at.column, at.token + k, g, u, a, b, value);
      }
    }
    const Pair pair = PairColumns(at, bits);
    if (pair.token < params.batch) StorePair(pair.token, 32 * tile + pair.column, pair.bits);
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

  /// Two neighbouring columns of a token. Their threads exchange values, so that each has the pair
  /// of one of its tokens; with one token each, that of the even column has it.
  struct Pair {
    int column, token;  // token past all batches: none
    uint32_t bits;      // even column in the low half
  };
  SAMEBITS_DEVICE Pair PairColumns(const Place& at, const uint32_t (&bits)[kValues]) const {
    const bool odd = at.column % 2 != 0;
    const uint32_t given = odd ? bits[0] : bits[kValues - 1];
    const uint32_t got = lane.Bits(lane.ShuffleXor(lane.FromBits(given), 16 / kValues));
    if (!odd) return {at.column, at.token, bits[0] | got << 16};
    if constexpr (kValues == 1) return {at.column - 1, N, 0};
    return {at.column - 1, at.token + 1, got | bits[kValues - 1] << 16};
  }

  // Front rows: `low` and `high` are rows of the same kind, 32 apart (4.8).
  SAMEBITS_DEVICE void Publish(const Place& at, const Sums& sums) const {
    const int row = kTileRows * (tile - params.gate_tiles);
    PublishRows(at, row, sums.low);
    PublishRows(at, row + 32, sums.high);
  }
  /// The tile's rows from `row` on.
  SAMEBITS_DEVICE void PublishRows(const Place& at, int row, const float (&sum)[kValues]) const {
    uint32_t bits[kValues];
    SAMEBITS_UNROLL
    for (int k = 0; k < kValues; ++k) {
      PublishLogit(row + at.column, at.token + k, sum[k]);
      bits[k] = PositiveZero(lane.ToBf16(sum[k]));
    }
    const Pair pair = PairColumns(at, bits);
    if (pair.token >= params.batch) return;
    PublishLatent(row + pair.column - params.front_split, pair.token, pair.bits);
  }
  SAMEBITS_DEVICE void PublishLogit(int row, int token, float sum) const {
    if (row >= params.front_valid || token >= params.batch) return;
    const float value = lane.Bits(sum) == 0x80000000u ? 0.0f : sum;
    const int64_t at = token * params.front_pitch + params.latent + 2 * (params.front_slot + row);
    SAMEBITS_ROLLED
    for (int peer = 0; peer < params.tp; ++peer) {
      lane.StoreSystem(reinterpret_cast<uint32_t*>(params.front_peers[peer] + at),
                       lane.Bits(value));
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
      lane.StoreSystem(reinterpret_cast<uint32_t*>(params.front_peers[peer] + at), pair);
    }
    if constexpr (kTaps) {
      uint16_t* to = params.taps.front_latent + int64_t{token} * params.latent_shard + column;
      lane.StoreGlobal(reinterpret_cast<uint32_t*>(to), pair);
    }
  }
};

}  // namespace samebits::gpu::shared_expert

#endif  // SAMEBITS_GPU_SHARED_EXPERT_HOPPER_REDUCE_CUH_
