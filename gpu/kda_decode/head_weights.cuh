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

  /// Starts the copies of a head's weights by the threads of both prep groups (thread: 0..255).
  SAMEBITS_DEVICE void Start(int head, int thread) const {
    const kda_decode::Operands& from = params_.operands;
    const uint16_t* gate = from.f_b + int64_t{head} * kHeadDim * kHeadDim;
    SAMEBITS_UNROLL
    for (int i = 0; i < kGranules / kThreads; ++i) {
      const int granule = i * kThreads + thread;
      lane_.CopyAsync16(At<std::byte>(kLayout::kGate) + 16 * Swizzle(granule), gate + 8 * granule);
    }
    const int64_t dim = int64_t{params_.heads} * kHeadDim;
    const int64_t channel = int64_t{head} * kHeadDim;
    SAMEBITS_ROLLED
    for (int at = 4 * thread; at < kVectors * kHeadDim; at += 4 * kThreads) {
      const int row = at / kHeadDim, column = at % kHeadDim;
      if (row < kTapRows) {
        lane_.CopyAsync16(At<float>(kLayout::kTaps) + at,
                          from.weights + row * dim + channel + column);
      } else if (row == kTapRows) {
        lane_.CopyAsync16(At<float>(kLayout::kDtBias) + column, from.dt_bias + channel + column);
      } else if (params_.has_bias) {
        const int part = row - kTapRows - 1;
        lane_.CopyAsync16(At<float>(kLayout::kBias) + part * kHeadDim + column,
                          from.bias + part * dim + channel + column);
      }
    }
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

  template <bool kResident>
  SAMEBITS_DEVICE float DtBias(int head, int feature) const {
    if constexpr (kResident) return lane_.LoadShared(At<float>(kLayout::kDtBias) + feature);
    return lane_.LoadGlobal(params_.operands.dt_bias + head * kHeadDim + feature);
  }

  /// Weights 16 chunk + 4 quarter + [0, 4) of a gate feature.
  template <bool kResident>
  SAMEBITS_DEVICE Word2 Gate(int head, int feature, int chunk, int quarter) const {
    if constexpr (kResident) {
      // The swizzle of the granules, of byte addresses: chunks of 32 bytes.
      const int row = feature * kHeadDim * 2 + feature % 4 * 32 + 8 * quarter;
      return lane_.LoadShared(
          reinterpret_cast<const Word2*>(At<std::byte>(kLayout::kGate) + (row ^ (32 * chunk))));
    }
    const int64_t row = int64_t{head} * kHeadDim + feature;
    return lane_.LoadGlobal(reinterpret_cast<const Word2*>(params_.operands.f_b + row * kHeadDim +
                                                           16 * chunk + 4 * quarter));
  }

 private:
  using kLayout = HeadWeightsLayout;
  static constexpr int kThreads = kPrepGroups * kPrepThreads;
  static constexpr int kRowGranules = kHeadDim / 8;  // of 16 bytes
  static constexpr int kGranules = kHeadDim * kRowGranules;
  static constexpr int kTapRows = 3 * kda_decode::kConvWidth;
  static constexpr int kVectors = kTapRows + 1 + 3;  // taps, dt_bias, bias: rows of 128 floats

  /// Four features read 32 bytes of a row each at a time: on banks of their own.
  static SAMEBITS_DEVICE int Swizzle(int granule) {
    return granule ^ (granule / kRowGranules % 4 * 2);
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
