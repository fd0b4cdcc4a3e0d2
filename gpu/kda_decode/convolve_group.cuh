// Prep group 0 (SPEC.md sections 3.2 to 3.4, 7.3): convolution, SiLU and the norms of q and k.
// Thread p is channel p of q, k and v.
#ifndef SAMEBITS_GPU_KDA_DECODE_CONVOLVE_GROUP_CUH_
#define SAMEBITS_GPU_KDA_DECODE_CONVOLVE_GROUP_CUH_

#include "gpu/kda_decode/block.cuh"
#include "gpu/kda_decode/prep_group.cuh"

namespace samebits::gpu::kda_ws {

template <class Lane, int T, bool kTaps>
class ConvolveGroup : PrepGroup<Lane, T, kConvolveGroup> {
  using Base = PrepGroup<Lane, T, kConvolveGroup>;
  using Base::at_, Base::items_, Base::lane_, Base::p_, Base::params_, Base::shared_, Base::slots_;

 public:
  SAMEBITS_DEVICE ConvolveGroup(const Lane& lane, const Params& params, Shared<T> shared,
                                ItemRange items, int p)
      : Base(lane, params, shared, items, p) {}

  /// All items of the block, of which there is one at least.
  SAMEBITS_DEVICE void Run() {
    Start();
    SAMEBITS_ROLLED
    for (int j = 0; j < items_.count; ++j) {
      p_ = lane_.Opaque(p_);  // no address of one item is kept in registers for the next
      item_ = slots_.Read(j, at_);
      Base::AwaitWeights();
      PrepareItem(j);
      at_.Advance(1, params_.requests);
    }
    if (params_.conv_dim_first && p_ == 0) lane_.BulkWaitAll();
  }

 private:
  // q and k sums reduced together: a power of two of at least 2 T values.
  static constexpr int kSums = T == 1 ? 2 : T == 2 ? 4 : T <= 4 ? 8 : 16;

  SAMEBITS_DEVICE void Start() {
    Base::StartWeights(at_.head);
    const bool more = items_.count > 1;
    const Item first = slots_.Locate(at_), second = slots_.Locate(Base::Ahead(more ? 1 : 0));
    Base::staging(0).PrefetchInputs(first);
    lane_.GridDependencyWait();
    lane_.GridLaunchDependents();
    Stage(0, first);
    if (more) Stage(1, second);
    if (p_ == 0) {
      slots_.Write(0, first);
      slots_.Write(1, second);
      slots_.Begin(items_.count > 2, Base::Ahead(2));
    }
    Base::GroupBarrier();  // the slots are in shared memory
  }

  /// Starts the copies of item j.
  SAMEBITS_DEVICE void Stage(int j, const Item& item) {
    Base::staging(j).StartInputs(item, Base::staged(j));
  }

  SAMEBITS_DEVICE void PrepareItem(int j) {
    const int block = OperandBlock(j);
    lane_.MbarrierWait(Base::staged(j), j / kStages % 2);
    if (p_ == 0) Base::RowsAreThere(j);
    if (j >= kBlocks) lane_.MbarrierWait(shared_.released(block), (j / kBlocks - 1) % 2);
    const bool real = item_.slot > 0;
    if (real) {
      Convolve(j);
      if (params_.conv_dim_first) lane_.FenceProxyAsync();
      SumSquares(block);
    }
    Base::GroupBarrier();  // staging is free; the sums and the new windows are in shared memory
    if (real) Normalise(block);
    lane_.MbarrierArrive(shared_.ops_full(block));
    if (real && params_.conv_dim_first && p_ == 0) {
      Base::staging(j).StoreWindows(item_);
      lane_.BulkWaitRead();
    }
    if (j + kStages < items_.count) {
      Stage(j + kStages, slots_.Read(j + kStages, Base::Ahead(kStages)));
    }
  }

  SAMEBITS_DEVICE void Convolve(int j) {
    SAMEBITS_UNROLL
    for (int part = 0; part < 3; ++part) {
      p_ = lane_.Opaque(p_);
      ConvolvePart(part, j);
    }
  }

  /// u of one part, all tokens, into the operand block (q and k are normalised there later, by the
  /// same thread); also moves the window on (sections 3.2 and 5).
  SAMEBITS_DEVICE void ConvolvePart(int part, int j) {
    const int block = OperandBlock(j);
    const float start = params_.has_bias ? Base::weights().Bias(item_.head, part, p_) : 0.0f;
    float weight[kda_decode::kConvWidth];
    Base::weights().LoadTaps(item_.head, part, p_, weight);
    uint32_t z[3 + T];  // the sequence, as bits of f32: three taps, then the inputs
    Base::staging(j).LoadTaps(part, item_.offset, z);
    SAMEBITS_UNROLL
    for (int t = 0; t < T; ++t) {
      z[3 + t] = uint32_t{lane_.LoadShared(shared_.x_row(j % kStages, t, part) + p_)} << 16;
    }
    SAMEBITS_UNROLL
    for (int t = 0; t < T; ++t) {
      float acc = start;
      SAMEBITS_UNROLL
      for (int i = 0; i < kda_decode::kConvWidth; ++i) {
        acc = lane_.Fma(lane_.FromBits(z[t + i]), weight[i], acc);
      }
      const float silu = lane_.DivFull(acc, lane_.Add(1.0f, Exp(lane_, -acc)));
      const float rounded = RoundToBf16(lane_, silu);
      lane_.StoreShared(PartRow(part, block, t) + p_, rounded);
      if (part == 1 && params_.record) {
        lane_.StoreGlobal(KeyGateRecord<T>(params_, item_, t) + p_, Bf16Bits(lane_, rounded));
      }
      if constexpr (kTaps) {
        const int64_t row =
            TapRow<T>(lane_, params_, item_.request, item_.head, t) + lane_.Opaque(p_);
        lane_.StoreGlobal(params_.taps.conv_acc[part] + row, acc);
        lane_.StoreGlobal(params_.taps.conv[part] + row, rounded);
      }
    }
    Base::staging(j).WriteWindow(part, item_, z);
  }

  SAMEBITS_DEVICE float* PartRow(int part, int block, int t) const {
    return part == 0 ? shared_.q(block, t) : part == 1 ? shared_.k(block, t) : shared_.v(block, t);
  }

  /// Per-warp sums of the squares of q and k (sections 3.3 and 4.2). Value 2 t is q of token t,
  /// 2 t + 1 k.
  SAMEBITS_DEVICE void SumSquares(int block) {
    float value[kSums] = {};
    SAMEBITS_UNROLL
    for (int t = 0; t < T; ++t) {
      const float q = lane_.LoadShared(shared_.q(block, t) + p_);
      const float k = lane_.LoadShared(shared_.k(block, t) + p_);
      value[2 * t] = lane_.Mul(q, q);
      value[2 * t + 1] = lane_.Mul(k, k);
    }
    const int lane_id = p_ % 32;
    WarpSums<kSums>(lane_, lane_id, value);
    constexpr int kLanesPerValue = 32 / kSums;
    if (lane_id % kLanesPerValue == 0) {
      lane_.StoreShared(shared_.sums(block, lane_id / kLanesPerValue) + p_ / 32, value[0]);
    }
  }

  /// Sections 3.3 and 3.4. Lane i takes the inverse of value i, for all.
  SAMEBITS_DEVICE void Normalise(int block) {
    const int own = p_ % 32 % (2 * T);
    const float sum = lane_.Add(CrossWarpSum(lane_, shared_.sums(block, own)),
                                lane_.FromBits(0x358637BD));  // 1e-6
    const float inverse = lane_.Rcp(lane_.Sqrt(sum));
    if constexpr (kTaps) TapInverse(sum, inverse);
    SAMEBITS_UNROLL
    for (int t = 0; t < T; ++t) {
      const float q_inv = lane_.ShuffleIndex(inverse, 2 * t);
      const float k_inv = lane_.ShuffleIndex(inverse, 2 * t + 1);
      float* q = shared_.q(block, t) + p_;
      float* k = shared_.k(block, t) + p_;
      const float qn = lane_.Mul(lane_.Mul(lane_.LoadShared(q), q_inv), params_.operands.scale);
      const float kn = lane_.Mul(lane_.LoadShared(k), k_inv);
      lane_.StoreShared(q, qn);
      lane_.StoreShared(k, kn);
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

  Item item_{};
};

}  // namespace samebits::gpu::kda_ws

#endif  // SAMEBITS_GPU_KDA_DECODE_CONVOLVE_GROUP_CUH_
