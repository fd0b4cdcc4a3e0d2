// Convolution and SiLU of q, k and v (SPEC.md sections 3.2 and 4.1). Thread p is channel p; its
// weights stay in registers as long as the head does.
#ifndef SAMEBITS_GPU_KDA_DECODE_CONVOLUTION_CUH_
#define SAMEBITS_GPU_KDA_DECODE_CONVOLUTION_CUH_

#include "gpu/kda_decode/block.cuh"
#include "gpu/kda_decode/head_weights.cuh"
#include "gpu/kda_decode/staging.cuh"

namespace samebits::gpu::kda_ws {

template <class Lane, int T, bool kTaps>
class Convolution {
 public:
  SAMEBITS_DEVICE Convolution(const Lane& lane, const Params& params)
      : lane_(lane), params_(params) {}

  /// Weights of a head, which are in shared memory if they are ever.
  SAMEBITS_DEVICE void LoadWeights(const HeadWeights<Lane>& weights, int head, int p) {
    SAMEBITS_UNROLL
    for (int part = 0; part < kParts; ++part) {
      weights.LoadTaps(head, part, p, weight_[part]);
      start_[part] = params_.has_bias ? weights.Bias(head, part, p) : 0.0f;
    }
  }

  /// The taps in front of an item's first token.
  SAMEBITS_DEVICE void Begin(const Staging<Lane, T>& staging, int j, const Item& item) {
    SAMEBITS_UNROLL
    for (int part = 0; part < kParts; ++part) {
      uint32_t taps[3];
      staging.LoadTaps(j, part, item.offset, taps);
      SAMEBITS_UNROLL
      for (int tap = 0; tap < 3; ++tap) z_[part][tap] = lane_.FromBits(taps[tap]);
    }
  }

  /// u of a part and token; tokens in order.
  SAMEBITS_DEVICE float Token(const Staging<Lane, T>& staging, int j, const Item& item, int part,
                              int t, int p) {
    z_[part][t + 3] = lane_.FromBits(staging.LoadInput(j, part, t));
    float acc = start_[part];
    SAMEBITS_UNROLL
    for (int tap = 0; tap < kda_decode::kConvWidth; ++tap) {
      acc = lane_.Fma(z_[part][t + tap], weight_[part][tap], acc);
    }
    const float u = RoundToBf16(lane_, Silu(lane_, acc));
    if constexpr (kTaps) {
      const int64_t at = TapRow<T>(lane_, params_, item.request, item.head, t) + lane_.Opaque(p);
      lane_.StoreGlobal(params_.taps.conv_acc[part] + at, acc);
      lane_.StoreGlobal(params_.taps.conv[part] + at, u);
    }
    return u;
  }

 private:
  const Lane& lane_;
  const Params& params_;
  float weight_[kParts][kda_decode::kConvWidth];
  float start_[kParts];
  float z_[kParts][3 + T];  // three taps, then the inputs
};

}  // namespace samebits::gpu::kda_ws

#endif  // SAMEBITS_GPU_KDA_DECODE_CONVOLUTION_CUH_
