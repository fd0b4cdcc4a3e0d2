// The raw gate on the matrix unit, and the decays (SPEC.md sections 3.6 and 3.7). A warp has 32
// features, two tiles of 16; lane (g, quarter) = (lane / 4, lane % 4).
#ifndef SAMEBITS_GPU_KDA_DECODE_GATE_CUH_
#define SAMEBITS_GPU_KDA_DECODE_GATE_CUH_

#include "gpu/kda_decode/block.cuh"
#include "gpu/kda_decode/head_weights.cuh"

namespace samebits::gpu::kda_ws {

/// Row of the key/gate record of a token (section 2.5): 128 keys, then 128 raw gates.
template <int T>
SAMEBITS_DEVICE uint16_t* KeyGateRecord(const Params& params, const Item& item, int t) {
  const int64_t row = item.conv_slot;  // slots[r][0]
  return params.operands.key_gate_record +
         ((row * params.heads + item.head) * T + t) * (2 * kHeadDim);
}

template <class Lane, int T, bool kTaps>
class Gate {
 public:
  SAMEBITS_DEVICE Gate(const Lane& lane, const Params& params, Shared<T> shared, const Item& item,
                       int group, int p, int block)
      : lane_(lane),
        params_(params),
        shared_(shared),
        item_(item),
        group_(group),
        g_(p % 32 / 4),
        quarter_(p % 4),
        first_feature_(p / 32 * 32),
        block_(block) {}

  SAMEBITS_DEVICE void Run() {
    const float a = Exp(lane_, lane_.LoadGlobal(params_.operands.a_log + item_.head));
    if (HeadWeights<Lane>(lane_, params_).resident()) {
      Tiles<true>(a);
    } else {
      Tiles<false>(a);
    }
  }

 private:
  static constexpr int kChunks = kHeadDim / 16;
  static constexpr int kTiles = 2;

  /// What section 3.7 makes of a raw gate.
  struct Decay {
    uint16_t rounded;
    float argument, sigmoid, decay;
  };

  /// A lane has 4 consecutive k of features g and g + 8 of the tile and of token g per chunk of 16
  /// k: an order of the terms inside a block of the matrix unit, which has none of its own.
  template <bool kResident>
  SAMEBITS_DEVICE void Multiply(int m, int chunk, const Word2& tokens, float (&acc)[4]) {
    const HeadWeights<Lane> weights(lane_, params_);
    const int feature = Feature(m);
    const Word2 low = weights.template Gate<kResident>(item_.head, feature, chunk, quarter_);
    const Word2 high = weights.template Gate<kResident>(item_.head, feature + 8, chunk, quarter_);
    const uint32_t rows[4] = {low.x, high.x, low.y, high.y}, columns[2] = {tokens.x, tokens.y};
    lane_.MmaBf16(acc, rows, columns);
  }

  /// Columns g >= T repeat a token; their results are dropped.
  SAMEBITS_DEVICE Word2 Tokens(int chunk) const {
    const uint16_t* row = shared_.f_a_row(group_, g_ % T) + 16 * chunk + 4 * quarter_;
    return lane_.LoadShared(reinterpret_cast<const Word2*>(row));
  }

  SAMEBITS_DEVICE int Feature(int m) const { return first_feature_ + 16 * m + g_; }

  /// The tiles side by side: what one waits for, the other fills.
  template <bool kResident>
  SAMEBITS_DEVICE void Tiles(float a) {
    float raw[kTiles][4] = {};
    if (params_.split_chains) {
      SplitChains<kResident>(raw);
    } else {
      SAMEBITS_UNROLL
      for (int chunk = 0; chunk < kChunks; ++chunk) {
        const Word2 tokens = Tokens(chunk);
        SAMEBITS_UNROLL
        for (int m = 0; m < kTiles; ++m) Multiply<kResident>(m, chunk, tokens, raw[m]);
      }
    }
    SAMEBITS_UNROLL
    for (int m = 0; m < kTiles; ++m) Decays<kResident>(m, a, raw[m]);
  }

  /// gate_mode 1: four chains of two MMAs (section 3.6).
  template <bool kResident>
  SAMEBITS_DEVICE void SplitChains(float (&raw)[kTiles][4]) {
    SAMEBITS_UNROLL
    for (int m = 0; m < kTiles; ++m) {
      float acc[4][4] = {};
      SAMEBITS_UNROLL
      for (int chunk = 0; chunk < kChunks; ++chunk) {
        Multiply<kResident>(m, chunk, Tokens(chunk), acc[chunk / 2]);
      }
      SAMEBITS_UNROLL
      for (int e = 0; e < 4; ++e) {
        const float sum = lane_.Add(lane_.Add(acc[0][e], acc[1][e]), acc[2][e]);
        raw[m][e] = lane_.Add(0.0f, lane_.Add(sum, acc[3][e]));
      }
    }
  }

  /// Computed for every column, stored for tokens alone: no lane waits for another's branch.
  template <bool kResident>
  SAMEBITS_DEVICE void Decays(int m, float a, const float (&raw)[4]) {
    const HeadWeights<Lane> weights(lane_, params_);
    Decay decays[4];
    SAMEBITS_UNROLL
    for (int half = 0; half < 2; ++half) {
      const float dt_bias = weights.template DtBias<kResident>(item_.head, Feature(m) + 8 * half);
      SAMEBITS_UNROLL
      for (int odd = 0; odd < 2; ++odd) {
        decays[2 * half + odd] = Compute(raw[2 * half + odd], a, dt_bias);
      }
    }
    SAMEBITS_UNROLL
    for (int odd = 0; odd < 2; ++odd) {
      const int t = 2 * quarter_ + odd;
      if (t >= T) continue;
      SAMEBITS_UNROLL
      for (int half = 0; half < 2; ++half) {
        Store(t, Feature(m) + 8 * half, raw[2 * half + odd], decays[2 * half + odd]);
      }
    }
  }

  /// Section 3.7.
  SAMEBITS_DEVICE Decay Compute(float raw, float a, float dt_bias) const {
    Decay d;
    d.rounded = lane_.ToBf16(raw);
    d.argument = lane_.Mul(a, lane_.Add(lane_.FromBf16(d.rounded), dt_bias));
    d.sigmoid = Sigmoid(lane_, d.argument);
    d.decay = Exp(lane_, lane_.Mul(params_.operands.lower_bound, d.sigmoid));
    return d;
  }

  SAMEBITS_DEVICE void Store(int t, int feature, float raw, const Decay& d) {
    lane_.StoreShared(shared_.decay(block_, t) + feature, d.decay);
    if (params_.record) {
      lane_.StoreGlobal(KeyGateRecord<T>(params_, item_, t) + kHeadDim + feature, d.rounded);
    }
    if constexpr (kTaps) {
      const int64_t at =
          TapRow<T>(lane_, params_, item_.request, item_.head, t) + lane_.Opaque(feature);
      lane_.StoreGlobal(params_.taps.gate_acc + at, raw);
      lane_.StoreGlobal(params_.taps.gate_raw + at, lane_.FromBf16(d.rounded));
      lane_.StoreGlobal(params_.taps.gate_arg + at, d.argument);
      lane_.StoreGlobal(params_.taps.gate_sigmoid + at, d.sigmoid);
      lane_.StoreGlobal(params_.taps.decay + at, d.decay);
    }
  }

  const Lane& lane_;
  const Params& params_;
  Shared<T> shared_;
  const Item& item_;
  int group_;
  int g_;
  int quarter_;
  int first_feature_;  // of this warp, in the head
  int block_;
};

}  // namespace samebits::gpu::kda_ws

#endif  // SAMEBITS_GPU_KDA_DECODE_GATE_CUH_
