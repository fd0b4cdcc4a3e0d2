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

  /// Starts the copies of the weights of a head that a prep group needs, by one warp; `full`
  /// completes with the last.
  SAMEBITS_DEVICE void Start(int group, int head, int lane_id, uint64_t* full) const {
    if (group == kConvolveGroup) {
      StartTaps(head, lane_id, full);
    } else {
      StartGate(head, lane_id, full);
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
  static constexpr int kTapRows = 3 * kda_decode::kConvWidth;
  static constexpr int kGateBytes = kHeadDim * 2, kFloatBytes = kHeadDim * 4;

  /// Taps and bias, a row per part.
  SAMEBITS_DEVICE void StartTaps(int head, int lane_id, uint64_t* full) const {
    const int rows = kTapRows + (params_.has_bias ? 3 : 0);
    if (lane_id == 0) lane_.MbarrierArriveExpect(full, rows * kFloatBytes);
    lane_.WarpBarrier();
    if (lane_id >= rows) return;
    const int64_t channel = int64_t{head} * kHeadDim;
    const bool tap = lane_id < kTapRows;
    const float* source = tap ? params_.operands.weights + lane_id * Dim() + channel
                              : params_.operands.bias + (lane_id - kTapRows) * Dim() + channel;
    const int to = tap ? kLayout::kTaps + lane_id * kFloatBytes
                       : kLayout::kBias + (lane_id - kTapRows) * kFloatBytes;
    lane_.BulkLoad(At<std::byte>(to), source, kFloatBytes, full);
  }

  /// The rows of the gate's features and dt_bias.
  SAMEBITS_DEVICE void StartGate(int head, int lane_id, uint64_t* full) const {
    if (lane_id == 0) lane_.MbarrierArriveExpect(full, kHeadDim * kGateBytes + kFloatBytes);
    lane_.WarpBarrier();
    const int64_t first = int64_t{head} * kHeadDim;
    SAMEBITS_ROLLED
    for (int row = lane_id; row < kHeadDim; row += 32) {
      lane_.BulkLoad(At<std::byte>(kLayout::kGate) + row * kLayout::kGateStride,
                     params_.operands.f_b + (first + row) * kHeadDim, kGateBytes, full);
    }
    if (lane_id == 0) {
      lane_.BulkLoad(At<float>(kLayout::kDtBias), params_.operands.dt_bias + first, kFloatBytes,
                     full);
    }
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
