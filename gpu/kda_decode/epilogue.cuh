// Gated RMSNorm and output of a scanned item (SPEC.md section 3.9), by the scan threads: thread n
// has channel n % 128 of the tokens with t % 2 == n / 128.
#ifndef SAMEBITS_GPU_KDA_DECODE_EPILOGUE_CUH_
#define SAMEBITS_GPU_KDA_DECODE_EPILOGUE_CUH_

#include "gpu/kda_decode/block.cuh"

namespace samebits::gpu::kda_ws {

template <class Lane, int T, bool kTaps>
class Epilogue {
 public:
  SAMEBITS_DEVICE Epilogue(const Lane& lane, const Params& params, Shared<T> shared, int thread)
      : lane_(lane),
        params_(params),
        shared_(shared),
        thread_(thread),
        channel_(thread % kHeadDim),
        norm_weight_(lane.LoadGlobal(params.operands.norm_weight + thread % kHeadDim)) {}

  SAMEBITS_DEVICE void Run(int block, int request, int head, int parity) const {
    const int first = thread_ / kHeadDim;
    GroupBarrier();  // every row of every token is in shared memory
    SAMEBITS_ROLLED
    for (int t = first; t < T; t += 2) {
      const float o = lane_.LoadShared(shared_.out(block, t) + channel_);
      const float sum = WarpSum(lane_, lane_.Mul(o, o));
      if (thread_ % 32 == 0) {
        lane_.StoreShared(shared_.out_sums(parity, t) + channel_ / 32, sum);
      }
    }
    GroupBarrier();
    SAMEBITS_ROLLED
    for (int t = first; t < T; t += 2) Token(block, request, head, parity, t);
  }

 private:
  SAMEBITS_DEVICE void GroupBarrier() const { lane_.NamedBarrier(3, kScanThreads); }

  SAMEBITS_DEVICE void Token(int block, int request, int head, int parity, int t) const {
    const float o = lane_.LoadShared(shared_.out(block, t) + channel_);
    const float sum = CrossWarpSum(lane_, shared_.out_sums(parity, t));
    const float variance = lane_.Add(lane_.Mul(sum, 1.0f / kHeadDim), params_.operands.eps);
    const float inverse = lane_.Rcp(lane_.Sqrt(variance));
    const float logit = lane_.FromBf16(lane_.LoadShared(shared_.gate(block, t) + channel_));
    const float sigmoid = Sigmoid(lane_, logit);
    const float y = lane_.Mul(lane_.Mul(lane_.Mul(o, inverse), norm_weight_), sigmoid);
    const int64_t row = int64_t{request} * T + t;
    lane_.StoreGlobal(
        params_.operands.output + row * params_.operands.output_stride + head * kHeadDim + channel_,
        lane_.ToBf16(y));
    if constexpr (kTaps) {
      const int64_t at = TapRow<T>(lane_, params_, request, head, t);
      lane_.StoreGlobal(params_.taps.out_gate + at + channel_, sigmoid);
      lane_.StoreGlobal(params_.taps.out_scaled + at + channel_, y);
      if (channel_ == 0) {
        lane_.StoreGlobal(params_.taps.out_sum + at / kHeadDim, sum);
        lane_.StoreGlobal(params_.taps.out_inv + at / kHeadDim, inverse);
      }
    }
  }

  const Lane& lane_;
  const Params& params_;
  Shared<T> shared_;
  int thread_;
  int channel_;
  float norm_weight_;
};

}  // namespace samebits::gpu::kda_ws

#endif  // SAMEBITS_GPU_KDA_DECODE_EPILOGUE_CUH_
