// The raw gate on the matrix unit, and the decays (SPEC.md sections 3.6 and 3.7). A warp has 32
// features, two tiles of 16; lane (g, quarter) = (lane / 4, lane % 4) in the products, thread p has
// feature p after them.
#ifndef SAMEBITS_GPU_KDA_DECODE_GATE_CUH_
#define SAMEBITS_GPU_KDA_DECODE_GATE_CUH_

#include "gpu/kda_decode/block.cuh"
#include "gpu/kda_decode/head_weights.cuh"

namespace samebits::gpu::kda_ws {

template <class Lane, int T, bool kTaps>
class Gate {
 public:
  SAMEBITS_DEVICE Gate(const Lane& lane, const Params& params, Shared<T> shared, const Item& item,
                       int stage, int p, int block)
      : lane_(lane),
        params_(params),
        shared_(shared),
        item_(item),
        stage_(stage),
        g_(p % 32 / 4),
        quarter_(p % 4),
        p_(p),
        block_(block) {}

  /// The raw gates of all tokens, to where the decays will be: features are spread over all lanes
  /// between the products and the decays.
  SAMEBITS_DEVICE void Products() {
    if (HeadWeights<Lane>(lane_, params_).resident()) {
      Chains<true>();
    } else {
      Chains<false>();
    }
    lane_.WarpBarrier();
  }

  /// Section 3.7, of one feature and token: the decay takes the place of the raw gate, which is
  /// returned, rounded. `a`: A of section 3.5.
  SAMEBITS_DEVICE float Decay(int t, float a, float dt_bias) {
    float* at = shared_.decay(block_, t) + p_;
    const float raw = lane_.LoadShared(at);
    const float rounded = RoundToBf16(lane_, raw);
    const float argument = lane_.Mul(a, lane_.Add(rounded, dt_bias));
    const float sigmoid = Sigmoid(lane_, argument);
    const float decay = Exp(lane_, lane_.Mul(params_.operands.lower_bound, sigmoid));
    lane_.StoreShared(at, decay);
    if constexpr (kTaps) {
      const int64_t tap =
          TapRow<T>(lane_, params_, item_.request, item_.head, t) + lane_.Opaque(p_);
      lane_.StoreGlobal(params_.taps.gate_acc + tap, raw);
      lane_.StoreGlobal(params_.taps.gate_raw + tap, rounded);
      lane_.StoreGlobal(params_.taps.gate_arg + tap, argument);
      lane_.StoreGlobal(params_.taps.gate_sigmoid + tap, sigmoid);
      lane_.StoreGlobal(params_.taps.decay + tap, decay);
    }
    return rounded;
  }

 private:
  static constexpr int kChunks = kHeadDim / 16;
  static constexpr int kTiles = 2;

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
    const uint16_t* row = shared_.f_a_row(stage_, g_ % T) + 16 * chunk + 4 * quarter_;
    return lane_.LoadShared(reinterpret_cast<const Word2*>(row));
  }

  SAMEBITS_DEVICE int Feature(int m) const { return p_ / 32 * 32 + 16 * m + g_; }

  template <bool kResident>
  SAMEBITS_DEVICE void Chains() {
    if (params_.split_chains) {
      SplitChains<kResident>();
    } else {
      OneChain<kResident>();
    }
  }

  /// gate_mode 0: one chain of eight MMAs; two tiles side by side where their addresses are short.
  template <bool kResident>
  SAMEBITS_DEVICE void OneChain() {
    constexpr int kBeside = kResident ? kTiles : 1;
    SAMEBITS_ROLLED
    for (int first = 0; first < kTiles; first += kBeside) {
      float acc[kBeside][4] = {};
      SAMEBITS_UNROLL
      for (int chunk = 0; chunk < kChunks; ++chunk) {
        const Word2 tokens = Tokens(chunk);
        SAMEBITS_UNROLL
        for (int i = 0; i < kBeside; ++i) Multiply<kResident>(first + i, chunk, tokens, acc[i]);
      }
      SAMEBITS_UNROLL
      for (int i = 0; i < kBeside; ++i) StoreRaw(first + i, acc[i]);
    }
  }

  /// gate_mode 1: four chains of two MMAs (section 3.6).
  template <bool kResident>
  SAMEBITS_DEVICE void SplitChains() {
    SAMEBITS_ROLLED
    for (int m = 0; m < kTiles; ++m) {
      float acc[4][4] = {};
      SAMEBITS_UNROLL
      for (int chunk = 0; chunk < kChunks; ++chunk) {
        Multiply<kResident>(m, chunk, Tokens(chunk), acc[chunk / 2]);
      }
      float raw[4];
      SAMEBITS_UNROLL
      for (int e = 0; e < 4; ++e) {
        const float sum = lane_.Add(lane_.Add(acc[0][e], acc[1][e]), acc[2][e]);
        raw[e] = lane_.Add(0.0f, lane_.Add(sum, acc[3][e]));
      }
      StoreRaw(m, raw);
    }
  }

  /// Raw gates lie where the decays will be.
  SAMEBITS_DEVICE void StoreRaw(int m, const float (&raw)[4]) {
    SAMEBITS_UNROLL
    for (int odd = 0; odd < 2; ++odd) {
      const int t = 2 * quarter_ + odd;
      if (t >= T) continue;
      float* row = shared_.decay(block_, t) + Feature(m);
      lane_.StoreShared(row, float{raw[odd]});
      lane_.StoreShared(row + 8, float{raw[2 + odd]});
    }
  }

  const Lane& lane_;
  const Params& params_;
  Shared<T> shared_;
  const Item& item_;
  int stage_;
  int g_;
  int quarter_;
  int p_;
  int block_;
};

}  // namespace samebits::gpu::kda_ws

#endif  // SAMEBITS_GPU_KDA_DECODE_GATE_CUH_
