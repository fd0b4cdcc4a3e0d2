// Prep group 0 (SPEC.md sections 3.2 to 3.4, 3.9, 7.3): convolution, SiLU and the norms of q and k,
// and the epilogue of items that the scan has left. Thread p is channel p.
#ifndef SAMEBITS_GPU_KDA_DECODE_CONVOLVE_GROUP_CUH_
#define SAMEBITS_GPU_KDA_DECODE_CONVOLVE_GROUP_CUH_

#include "gpu/kda_decode/block.cuh"
#include "gpu/kda_decode/convolution.cuh"
#include "gpu/kda_decode/epilogue.cuh"
#include "gpu/kda_decode/prep_group.cuh"

namespace samebits::gpu::kda_ws {

template <class Lane, int T, bool kTaps>
class ConvolveGroup : PrepGroup<Lane, T, kConvolveGroup> {
  using Base = PrepGroup<Lane, T, kConvolveGroup>;
  using Base::at_, Base::items_, Base::lane_, Base::p_, Base::params_, Base::shared_, Base::slots_,
      Base::staging_;

 public:
  SAMEBITS_DEVICE ConvolveGroup(const Lane& lane, const Params& params, Shared<T> shared,
                                ItemRange items, int p)
      : Base(lane, params, shared, items, p), convolution_(lane, params) {}

  /// All items of the block, of which there is one at least.
  SAMEBITS_DEVICE void Run() {
    Start();
    SAMEBITS_ROLLED
    for (int j = 0; j < items_.count; ++j) {
      p_ = lane_.Opaque(p_);  // no address of one item is kept in registers for the next
      item_ = slots_.Read(j, at_);
      if (Base::AwaitWeights()) convolution_.LoadWeights(Base::weights(), at_.head, p_);
      PrepareItem(j);
      if (j >= kBehind) Finish(j - kBehind);
      at_.Advance(1, params_.requests);
    }
    SAMEBITS_ROLLED
    for (int j = items_.count - kBehind; j < items_.count; ++j) {
      if (j >= 0) Finish(j);
    }
    if (params_.conv_dim_first && p_ == 0) lane_.BulkWaitAll();
  }

 private:
  static constexpr int kBehind = 2;  // items that the scan has not left when the next is prepared
  // q and k sums reduced together: a power of two of at least 2 T values.
  static constexpr int kSums = T == 1 ? 2 : T == 2 ? 4 : T <= 4 ? 8 : 16;

  SAMEBITS_DEVICE void Start() {
    Item first, second;
    Base::Begin(first, second);
    lane_.GridDependencyWait();
    lane_.GridLaunchDependents();
    Base::StageFirst(first, second);
    norm_weight_ = lane_.LoadGlobal(params_.operands.norm_weight + p_);
  }

  SAMEBITS_DEVICE void PrepareItem(int j) {
    const int block = OperandBlock(j);
    lane_.MbarrierWait(Base::staged(j), j / kStages % 2);
    if (p_ == 0) Base::RowsAreThere(j);
    // The operand block is free: this group has finished the item before.
    const bool real = item_.slot > 0;
    if (real) Prepare(j, block);
    lane_.MbarrierArrive(shared_.ops_full(block));
    if (real) staging_.MoveWindows(j, item_);
    Base::GroupBarrier();  // staging is free; the new windows are in shared memory
    if (real && params_.conv_dim_first && p_ == 0) {
      staging_.StoreWindows(j, item_);
      lane_.BulkWaitRead();
    }
    Base::StageNext(j);
  }

  SAMEBITS_DEVICE void Prepare(int j, int block) {
    convolution_.Begin(staging_, j, item_);
    float u[T][2];  // q, k
    SAMEBITS_UNROLL
    for (int t = 0; t < T; ++t) {
      SAMEBITS_UNROLL
      for (int part = 0; part < 2; ++part) {
        u[t][part] = convolution_.Token(staging_, j, item_, part, t, p_);
      }
    }
    SumSquares(block, u);
    SAMEBITS_UNROLL
    for (int t = 0; t < T; ++t) {
      lane_.StoreShared(shared_.v(block, t) + p_, convolution_.Token(staging_, j, item_, 2, t, p_));
    }
    Base::GroupBarrier();  // the sums are in shared memory
    Normalise(block, u);
    if (params_.record) RecordKeys(u);
  }

  SAMEBITS_DEVICE void RecordKeys(const float (&u)[T][2]) {
    uint16_t* record = KeyGateRecord<T>(params_, item_, 0) + p_;
    SAMEBITS_UNROLL
    for (int t = 0; t < T; ++t) {
      lane_.StoreGlobal(record + t * 2 * kHeadDim, Bf16Bits(lane_, u[t][1]));
    }
  }

  /// What is left of item j once it is scanned; then its operand block is free.
  SAMEBITS_DEVICE void Finish(int j) {
    const int block = OperandBlock(j);
    lane_.MbarrierWait(shared_.done(block), j / kBlocks % 2);
    Epilogue<Lane, T, kTaps>(lane_, params_, shared_, p_, norm_weight_).Run(j);
    lane_.MbarrierArrive(shared_.released(block));
  }

  /// Per-warp sums of the squares of q and k (sections 3.3 and 4.2). Value 2 t is q of token t,
  /// 2 t + 1 k.
  SAMEBITS_DEVICE void SumSquares(int block, const float (&u)[T][2]) {
    float value[kSums] = {};
    SAMEBITS_UNROLL
    for (int t = 0; t < T; ++t) {
      value[2 * t] = lane_.Mul(u[t][0], u[t][0]);
      value[2 * t + 1] = lane_.Mul(u[t][1], u[t][1]);
    }
    WarpSums<kSums>(lane_, Base::lane_id(), value);
    constexpr int kLanesPerValue = 32 / kSums;
    if (p_ % kLanesPerValue == 0) {
      lane_.StoreShared(shared_.sums(block, Base::lane_id() / kLanesPerValue) + Base::warp(),
                        value[0]);
    }
  }

  /// Sections 3.3 and 3.4. Lane i takes the inverse of value i, for all.
  SAMEBITS_DEVICE void Normalise(int block, const float (&u)[T][2]) {
    const int own = Base::lane_id() < 2 * T ? Base::lane_id() : 2 * T - 1;
    const float sum = lane_.Add(CrossWarpSum(lane_, shared_.sums(block, own)),
                                lane_.FromBits(0x358637BD));  // 1e-6
    const float inverse = lane_.Rcp(lane_.Sqrt(sum));
    if constexpr (kTaps) TapInverse(sum, inverse);
    SAMEBITS_UNROLL
    for (int t = 0; t < T; ++t) {
      const float q_inv = lane_.ShuffleIndex(inverse, 2 * t);
      const float k_inv = lane_.ShuffleIndex(inverse, 2 * t + 1);
      const float qn = lane_.Mul(lane_.Mul(u[t][0], q_inv), params_.operands.scale);
      const float kn = lane_.Mul(u[t][1], k_inv);
      lane_.StoreShared(shared_.q(block, t) + p_, qn);
      lane_.StoreShared(shared_.k(block, t) + p_, kn);
      if constexpr (kTaps) {
        const int64_t row = TapRow<T>(lane_, params_, item_.request, item_.head, t);
        lane_.StoreGlobal(params_.taps.norm[0] + row + p_, qn);
        lane_.StoreGlobal(params_.taps.norm[1] + row + p_, kn);
      }
    }
  }

  SAMEBITS_DEVICE void TapInverse(float sum, float inverse) const {
    if (p_ >= 2 * T) return;
    const int64_t at = TapRow<T>(lane_, params_, item_.request, item_.head, p_ / 2) / kHeadDim;
    lane_.StoreGlobal(params_.taps.norm_sum[p_ % 2] + at, sum);
    lane_.StoreGlobal(params_.taps.norm_inv[p_ % 2] + at, inverse);
  }

  Convolution<Lane, T, kTaps> convolution_;
  float norm_weight_ = 0;  // of the epilogue
  Item item_{};
};

}  // namespace samebits::gpu::kda_ws

#endif  // SAMEBITS_GPU_KDA_DECODE_CONVOLVE_GROUP_CUH_
