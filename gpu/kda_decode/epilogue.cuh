// Gated RMSNorm and output of a scanned item (SPEC.md section 3.9), by prep group 1: thread p has
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

  /// The item of an operand block that the scan has left.
  SAMEBITS_DEVICE void Run(int block) const {
    const int32_t* meta = shared_.meta(block);
    if (lane_.LoadShared(meta) == 0) return;  // padded row
    const int request = lane_.LoadShared(meta + 1), head = lane_.LoadShared(meta + 2);
    SumSquares(block);
    lane_.NamedBarrier(1 + kGateGroup, kPrepThreads);
    const float inverse = Inverse(block, request, head);
    // Some at a time: their latencies overlap, and no register is spilled.
    constexpr int kAtATime = 2;
    SAMEBITS_ROLLED
    for (int first = 0; first < T; first += kAtATime) {
      SAMEBITS_UNROLL
      for (int t = first; t < first + kAtATime; ++t) {
        if (t < T) Token(block, request, head, t, lane_.ShuffleIndex(inverse, t));
      }
    }
  }

 private:
  // Sums reduced together: T up to a power of two.
  static constexpr int kSums = T == 1 ? 1 : T == 2 ? 2 : T <= 4 ? 4 : 8;

  /// Per-warp sums of the squares of o, of every token.
  SAMEBITS_DEVICE void SumSquares(int block) const {
    float value[kSums] = {};
    SAMEBITS_UNROLL
    for (int t = 0; t < T; ++t) {
      const float o = lane_.LoadShared(shared_.out(block, t) + p_);
      value[t] = lane_.Mul(o, o);
    }
    const int lane_id = p_ % 32;
    WarpSums<kSums>(lane_, lane_id, value);
    constexpr int kLanesPerValue = 32 / kSums;
    if (lane_id % kLanesPerValue == 0) {
      lane_.StoreShared(shared_.out_sums(block, lane_id / kLanesPerValue) + p_ / 32, value[0]);
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

  SAMEBITS_DEVICE void Token(int block, int request, int head, int t, float inverse) const {
    const float o = lane_.LoadShared(shared_.out(block, t) + p_);
    const float logit = lane_.FromBf16(lane_.LoadShared(shared_.gate(block, t) + p_));
    const float sigmoid = Sigmoid(lane_, logit);
    const float y = lane_.Mul(lane_.Mul(lane_.Mul(o, inverse), norm_weight_), sigmoid);
    const int64_t row = int64_t{request} * T + t;
    lane_.StoreGlobal(
        params_.operands.output + row * params_.operands.output_stride + head * kHeadDim + p_,
        Bf16Bits(lane_, RoundToBf16(lane_, y)));
    if constexpr (kTaps) {
      const int64_t at = TapRow<T>(lane_, params_, request, head, t);
      lane_.StoreGlobal(params_.taps.out_gate + at + p_, sigmoid);
      lane_.StoreGlobal(params_.taps.out_scaled + at + p_, y);
    }
  }

  const Lane& lane_;
  const Params& params_;
  Shared<T> shared_;
  int p_;
  float norm_weight_;
};

}  // namespace samebits::gpu::kda_ws

#endif  // SAMEBITS_GPU_KDA_DECODE_EPILOGUE_CUH_
