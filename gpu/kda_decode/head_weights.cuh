// The weights that all items of a head share: from shared memory where they fit, else from where
// they lie. Used by the prep role.
#ifndef SAMEBITS_GPU_KDA_DECODE_HEAD_WEIGHTS_CUH_
#define SAMEBITS_GPU_KDA_DECODE_HEAD_WEIGHTS_CUH_

#include "gpu/kda_decode/block.cuh"

namespace samebits::gpu::kda_ws {

template <class Lane>
class HeadWeights {
 public:
  SAMEBITS_DEVICE HeadWeights(const Lane& lane, const Params& params)
      : lane_(lane), params_(params) {}

  SAMEBITS_DEVICE bool resident() const { return params_.head_weights != 0; }

  /// Starts the copies of the weights of a head that a prep group needs; thread p of the group.
  /// `full` counts one arrival per thread.
  template <int kGroup>
  SAMEBITS_DEVICE void Start(int head, int p, uint64_t* full) const {
    if constexpr (kGroup == kConvolveGroup) {
      StartTaps(head, p);
    } else {
      StartGate(head, p);
    }
    lane_.CopyAsyncArrive(full);
  }

  /// The convolution weights of a channel (section 3.2).
  SAMEBITS_DEVICE void LoadTaps(int head, int part, int channel,
                                float (&weight)[kda_decode::kConvWidth]) const {
    const int row = part * kda_decode::kConvWidth;
    if (resident()) {
      const float* from = At<float>(kLayout::kTaps) + row * kHeadDim + channel;
      SAMEBITS_UNROLL
      for (int i = 0; i < kda_decode::kConvWidth; ++i) {
        weight[i] = lane_.LoadShared(from + i * kHeadDim);
      }
      return;
    }
    const float* from = params_.operands.weights + row * Dim() + head * kHeadDim + channel;
    SAMEBITS_UNROLL
    for (int i = 0; i < kda_decode::kConvWidth; ++i) weight[i] = lane_.LoadGlobal(from + i * Dim());
  }

  SAMEBITS_DEVICE float Bias(int head, int part, int channel) const {
    if (resident()) return lane_.LoadShared(At<float>(kLayout::kBias) + part * kHeadDim + channel);
    return lane_.LoadGlobal(params_.operands.bias + part * Dim() + head * kHeadDim + channel);
  }

  SAMEBITS_DEVICE float DtBias(int head, int feature) const {
    if (resident()) return lane_.LoadShared(At<float>(kLayout::kDtBias) + feature);
    return lane_.LoadGlobal(params_.operands.dt_bias + head * kHeadDim + feature);
  }

  /// Weights 16 chunk + 4 quarter + [0, 4) of a gate feature.
  template <bool kResident>
  SAMEBITS_DEVICE Word2 Gate(int head, int feature, int chunk, int quarter) const {
    if constexpr (kResident) {
      return lane_.LoadShared(reinterpret_cast<const Word2*>(At<std::byte>(kLayout::kGate) +
                                                             feature * kLayout::kGateStride +
                                                             32 * chunk + 8 * quarter));
    }
    const int64_t row = int64_t{head} * kHeadDim + feature;
    return lane_.LoadGlobal(reinterpret_cast<const Word2*>(params_.operands.f_b + row * kHeadDim +
                                                           16 * chunk + 4 * quarter));
  }

 private:
  using kLayout = HeadWeightsLayout;
  static constexpr int kRowBytes = kHeadDim * 2, kFloatBytes = kHeadDim * 4;

  /// Taps and biases, 512 bytes a warp.
  SAMEBITS_DEVICE void StartTaps(int head, int p) const {
    constexpr int kWarps = kPrepThreads / 32;
    const int64_t channel = int64_t{head} * kHeadDim + p % 32 * 4;
    SAMEBITS_UNROLL
    for (int i = 0; i < kParts * kda_decode::kConvWidth; i += kWarps) {
      const int row = i + p / 32;
      Copy(kLayout::kTaps + row * kFloatBytes + p % 32 * 16,
           params_.operands.weights + row * Dim() + channel);
    }
    if (params_.has_bias && p / 32 < kParts) {
      Copy(kLayout::kBias + p / 32 * kFloatBytes + p % 32 * 16,
           params_.operands.bias + p / 32 * Dim() + channel);
    }
  }

  /// The rows of the gate's features, eight at a time, and dt_bias.
  SAMEBITS_DEVICE void StartGate(int head, int p) const {
    constexpr int kChunks = kRowBytes / 16, kRows = kPrepThreads / kChunks;
    const int64_t first = int64_t{head} * kHeadDim;
    const uint16_t* from =
        params_.operands.f_b + (first + p / kChunks) * kHeadDim + p % kChunks * 8;
    int to = kLayout::kGate + p / kChunks * kLayout::kGateStride + p % kChunks * 16;
    SAMEBITS_UNROLL
    for (int row = 0; row < kHeadDim; row += kRows) {
      Copy(to, from);
      to += kRows * kLayout::kGateStride;
      from += kRows * kHeadDim;
    }
    if (p < 32) Copy(kLayout::kDtBias + p * 16, params_.operands.dt_bias + first + p * 4);
  }

  SAMEBITS_DEVICE void Copy(int to, const void* from) const {
    lane_.CopyAsync16(At<std::byte>(to), from);
  }

  template <typename V>
  SAMEBITS_DEVICE V* At(int offset) const {
    return reinterpret_cast<V*>(lane_.shared() + params_.head_weights + offset);
  }

  SAMEBITS_DEVICE int64_t Dim() const { return int64_t{lane_.Opaque(params_.heads)} * kHeadDim; }

  const Lane& lane_;
  const Params& params_;
};

}  // namespace samebits::gpu::kda_ws

#endif  // SAMEBITS_GPU_KDA_DECODE_HEAD_WEIGHTS_CUH_
