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
    const bool resident = HeadWeights<Lane>(lane_, params_).resident();
    SAMEBITS_ROLLED
    for (int m = 0; m < 2; ++m) {
      if (resident) {
        Tile<true>(m, a);
      } else {
        Tile<false>(m, a);
      }
    }
  }

 private:
  static constexpr int kChunks = kHeadDim / 16;

  /// A lane has 4 consecutive k of features g and g + 8 of the tile and of token g per chunk of 16
  /// k: an order of the terms inside a block of the matrix unit, which has none of its own.
  template <bool kResident>
  SAMEBITS_DEVICE void Multiply(int m, int chunk, float (&acc)[4]) {
    const int feature = first_feature_ + 16 * m + g_;
    const HeadWeights<Lane> weights(lane_, params_);
    const Word2 low = weights.template Gate<kResident>(item_.head, feature, chunk, quarter_);
    const Word2 high = weights.template Gate<kResident>(item_.head, feature + 8, chunk, quarter_);
    // Columns g >= T repeat a token; their results are dropped.
    const uint16_t* row = shared_.f_a_row(group_, g_ % T) + 16 * chunk + 4 * quarter_;
    const Word2 words = lane_.LoadShared(reinterpret_cast<const Word2*>(row));
    const uint32_t rows[4] = {low.x, high.x, low.y, high.y}, columns[2] = {words.x, words.y};
    lane_.MmaBf16(acc, rows, columns);
  }

  template <bool kResident>
  SAMEBITS_DEVICE void Tile(int m, float a) {
    float raw[4];
    if (params_.split_chains) {
      float acc[4][4] = {};
      SAMEBITS_UNROLL
      for (int chunk = 0; chunk < kChunks; ++chunk) Multiply<kResident>(m, chunk, acc[chunk / 2]);
      SAMEBITS_UNROLL
      for (int e = 0; e < 4; ++e) {
        const float sum = lane_.Add(lane_.Add(acc[0][e], acc[1][e]), acc[2][e]);
        raw[e] = lane_.Add(0.0f, lane_.Add(sum, acc[3][e]));
      }
    } else {
      float acc[4] = {};
      SAMEBITS_UNROLL
      for (int chunk = 0; chunk < kChunks; ++chunk) Multiply<kResident>(m, chunk, acc);
      SAMEBITS_UNROLL
      for (int e = 0; e < 4; ++e) raw[e] = acc[e];
    }
    const int feature = first_feature_ + 16 * m + g_;
    const HeadWeights<Lane> weights(lane_, params_);
    const float dt_bias[2] = {weights.template DtBias<kResident>(item_.head, feature),
                              weights.template DtBias<kResident>(item_.head, feature + 8)};
    SAMEBITS_UNROLL
    for (int half = 0; half < 2; ++half) {
      SAMEBITS_UNROLL
      for (int odd = 0; odd < 2; ++odd) {
        const int t = 2 * quarter_ + odd;
        if (t < T) Decay(t, feature + 8 * half, raw[2 * half + odd], a, dt_bias[half]);
      }
    }
  }

  SAMEBITS_DEVICE void Decay(int t, int feature, float raw, float a, float dt_bias) {
    const uint16_t rounded = lane_.ToBf16(raw);
    const float rg = lane_.FromBf16(rounded);
    const float argument = lane_.Mul(a, lane_.Add(rg, dt_bias));
    const float sigmoid = Sigmoid(lane_, argument);
    const float decay = Exp(lane_, lane_.Mul(params_.operands.lower_bound, sigmoid));
    lane_.StoreShared(shared_.decay(block_, t) + feature, decay);
    if (params_.record) {
      lane_.StoreGlobal(KeyGateRecord<T>(params_, item_, t) + kHeadDim + feature, rounded);
    }
    if constexpr (kTaps) {
      const int64_t at =
          TapRow<T>(lane_, params_, item_.request, item_.head, t) + lane_.Opaque(feature);
      lane_.StoreGlobal(params_.taps.gate_acc + at, raw);
      lane_.StoreGlobal(params_.taps.gate_raw + at, rg);
      lane_.StoreGlobal(params_.taps.gate_arg + at, argument);
      lane_.StoreGlobal(params_.taps.gate_sigmoid + at, sigmoid);
      lane_.StoreGlobal(params_.taps.decay + at, decay);
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
