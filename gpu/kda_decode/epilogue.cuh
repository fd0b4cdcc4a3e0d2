// Gated RMSNorm and output of a scanned item (SPEC.md section 3.9), by prep group 0: thread p has
// channel p of every token.
#ifndef SAMEBITS_GPU_KDA_DECODE_EPILOGUE_CUH_
#define SAMEBITS_GPU_KDA_DECODE_EPILOGUE_CUH_

#include "gpu/kda_decode/block.cuh"

namespace samebits::gpu::kda_ws {

template <class Lane, int T, bool kTaps>
class Epilogue {
 public:
  SAMEBITS_DEVICE Epilogue(const Lane& lane, const Params& params, Shared<T> shared, int p,
                           float norm_weight)
      : lane_(lane), params_(params), shared_(shared), p_(p), norm_weight_(norm_weight) {}

  /// Local item j, which the scan has left.
  SAMEBITS_DEVICE void Run(int j) const {
    const int block = OperandBlock(j);
    const int32_t* meta = shared_.meta(block);
    if (lane_.LoadShared(meta) == 0) return;  // padded row
    const int request = lane_.LoadShared(meta + 1), head = lane_.LoadShared(meta + 2);
    float o[T];
    SAMEBITS_UNROLL
    for (int t = 0; t < T; ++t) o[t] = lane_.LoadShared(shared_.out(block, t) + p_);
    SumSquares(block, o);
    lane_.NamedBarrier(1 + kConvolveGroup, kPrepThreads);
    const float inverse = Inverse(block, request, head);
    uint16_t* output = params_.operands.output +
                       int64_t{request} * T * params_.operands.output_stride + head * kHeadDim + p_;
    SAMEBITS_UNROLL
    for (int t = 0; t < T; ++t, output += params_.operands.output_stride) {
      const float scaled = lane_.Mul(o[t], lane_.ShuffleIndex(inverse, t));
      const float logit = lane_.FromBf16(lane_.LoadShared(shared_.gate(j, t) + p_));
      const float sigmoid = Sigmoid(lane_, logit);
      const float y = lane_.Mul(lane_.Mul(scaled, norm_weight_), sigmoid);
      lane_.StoreGlobal(output, Bf16Bits(lane_, RoundToBf16(lane_, y)));
      if constexpr (kTaps) {
        const int64_t at = TapRow<T>(lane_, params_, request, head, t);
        lane_.StoreGlobal(params_.taps.out_gate + at + p_, sigmoid);
        lane_.StoreGlobal(params_.taps.out_scaled + at + p_, y);
      }
    }
  }

 private:
  // Sums reduced together: T up to a power of two.
  static constexpr int kSums = T == 1 ? 1 : T == 2 ? 2 : T <= 4 ? 4 : 8;

  /// Per-warp sums of the squares of o, of every token.
  SAMEBITS_DEVICE void SumSquares(int block, const float (&o)[T]) const {
    float value[kSums] = {};
    SAMEBITS_UNROLL
    for (int t = 0; t < T; ++t) value[t] = lane_.Mul(o[t], o[t]);
    const int lane_id = p_ & 31;
    WarpSums<kSums>(lane_, lane_id, value);
    constexpr int kLanesPerValue = 32 / kSums;
    if (lane_id % kLanesPerValue == 0) {
      lane_.StoreShared(shared_.out_sums(block, lane_id / kLanesPerValue) + (p_ >> 5), value[0]);
    }
  }

  /// Lane t takes rstd of token t, for all.
  SAMEBITS_DEVICE float Inverse(int block, int request, int head) const {
    const int t = p_ % 32 % T;
    const float sum = CrossWarpSum(lane_, shared_.out_sums(block, t));
    const float variance = lane_.Add(lane_.Mul(sum, 1.0f / kHeadDim), params_.operands.eps);
    const float inverse = lane_.Rcp(lane_.Sqrt(variance));
    if constexpr (kTaps) {
      if (p_ < T) {
        const int64_t at = TapRow<T>(lane_, params_, request, head, p_) / kHeadDim;
        lane_.StoreGlobal(params_.taps.out_sum + at, sum);
        lane_.StoreGlobal(params_.taps.out_inv + at, inverse);
      }
    }
    return inverse;
  }

  const Lane& lane_;
  const Params& params_;
  Shared<T> shared_;
  int p_;
  float norm_weight_;
};

}  // namespace samebits::gpu::kda_ws

#endif  // SAMEBITS_GPU_KDA_DECODE_EPILOGUE_CUH_
