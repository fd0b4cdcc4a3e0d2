// The prep role (SPEC.md sections 3.2 to 3.7, 7.3): one warpgroup turns the projection rows of an
// item into the scan's operand block. Thread p is channel p of q, k and v.
#ifndef SAMEBITS_GPU_KDA_DECODE_PREP_CUH_
#define SAMEBITS_GPU_KDA_DECODE_PREP_CUH_

#include "gpu/kda_decode/block.cuh"
#include "gpu/kda_decode/gate.cuh"
#include "gpu/kda_decode/staging.cuh"

namespace samebits::gpu::kda_ws {

template <class Lane, int T, bool kTaps>
class Prep {
 public:
  /// `group`: prep warpgroup 0 or 1; `p`: thread in it.
  SAMEBITS_DEVICE Prep(const Lane& lane, const Params& params, Shared<T> shared, ItemRange items,
                       int group, int p)
      : lane_(lane), params_(params), shared_(shared), items_(items), group_(group), p_(p) {}

  SAMEBITS_DEVICE void Run() {
    Item item{};
    if (group_ < items_.count) {
      item = LocateItem<T>(lane_, params_, items_.first + group_);
      Stage(item);
      PrefetchWeights(item.head);
    }
    lane_.CopyAsyncCommit();
    SAMEBITS_ROLLED
    for (int j = group_; j < items_.count; j += kPrepGroups) {
      const int block = OperandBlock(j);
      // No address of one item is kept in registers for the next.
      p_ = lane_.Opaque(p_);
      group_ = lane_.Opaque(group_);
      // What the next steps need of global memory is on its way before they wait.
      const bool more = j + kPrepGroups < items_.count;
      Item next{};
      if (more && p_ == 0) next = LocateItem<T>(lane_, params_, items_.first + j + kPrepGroups);
      const ConvWeights weights = LoadConvWeights(item.head);
      lane_.CopyAsyncWaitAll();
      GroupBarrier();
      if (j >= kBlocks) lane_.MbarrierWait(shared_.done(block), (j - kBlocks) / kBlocks % 2);
      if (item.slot > 0) Convolve(item, block, weights);
      if (p_ == 0) WriteNext(next, block);
      if (item.slot > 0) {
        Prepare(item, block);
      } else {
        Pad(item, block);
      }
      lane_.MbarrierArrive(shared_.ops_full(block));
      if (params_.conv_dim_first && p_ == 0) lane_.BulkWaitRead();
      GroupBarrier();  // the staging buffers are free
      if (more) {
        item = ReadNext(j + kPrepGroups, block);
        Stage(item);
      }
      lane_.CopyAsyncCommit();
    }
    if (params_.conv_dim_first && p_ == 0) lane_.BulkWaitAll();
  }

 private:
  // q and k sums reduced together: a power of two of at least 2 T values.
  static constexpr int kSums = T == 1 ? 2 : T == 2 ? 4 : T <= 4 ? 8 : 16;

  SAMEBITS_DEVICE Staging<Lane, T> staging() const { return {lane_, params_, shared_, group_, p_}; }

  SAMEBITS_DEVICE void GroupBarrier() { lane_.NamedBarrier(1 + group_, kPrepThreads); }

  SAMEBITS_DEVICE void Stage(const Item& item) {
    if (item.slot > 0) staging().Start(item);
  }

  /// Item j + 2 in the meta of item j: for the scan role, which loads its state, and for ReadNext.
  SAMEBITS_DEVICE void WriteNext(const Item& next, int block) {
    int32_t* words = shared_.meta(block) + kMetaNext;
    lane_.StoreShared(words, int32_t{next.slot});
    lane_.StoreShared(words + 1, int32_t{next.conv_slot});
    lane_.StoreShared(words + 2, int32_t{next.offset});
  }
  SAMEBITS_DEVICE Item ReadNext(int j, int block) const {
    const int32_t* words = shared_.meta(block) + kMetaNext;
    Item item;
    item.request = (items_.first + j) / params_.heads;
    item.head = items_.first + j - item.request * params_.heads;
    item.slot = lane_.LoadShared(words);
    item.conv_slot = lane_.LoadShared(words + 1);
    item.offset = lane_.LoadShared(words + 2);
    return item;
  }

  /// Of this thread's channel (section 3.2).
  struct ConvWeights {
    float tap[3][kda_decode::kConvWidth];
  };
  SAMEBITS_DEVICE ConvWeights LoadConvWeights(int head) const {
    const int64_t dim = int64_t{lane_.Opaque(params_.heads)} * kHeadDim;
    const int64_t channel = int64_t{head} * kHeadDim + p_;
    ConvWeights weights;
    SAMEBITS_UNROLL
    for (int part = 0; part < 3; ++part) {
      SAMEBITS_UNROLL
      for (int i = 0; i < kda_decode::kConvWidth; ++i) {
        weights.tap[part][i] = lane_.LoadGlobal(
            params_.operands.weights + (part * kda_decode::kConvWidth + i) * dim + channel);
      }
    }
    return weights;
  }

  /// Brings what the first item needs of its head into the L2 cache while its rows arrive.
  SAMEBITS_DEVICE void PrefetchWeights(int head) {
    const kda_decode::Operands& from = params_.operands;
    const int64_t channel = int64_t{head} * kHeadDim;
    const uint16_t* f_b = from.f_b + (channel + p_) * kHeadDim;
    lane_.PrefetchGlobal(f_b);
    lane_.PrefetchGlobal(f_b + kHeadDim / 2);
    const int64_t dim = int64_t{params_.heads} * kHeadDim;
    const int row = p_ / 4, line = p_ % 4 * 32;  // lines of 32 floats
    if (row < 3 * kda_decode::kConvWidth) {
      lane_.PrefetchGlobal(from.weights + row * dim + channel + line);
    } else if (row == 3 * kda_decode::kConvWidth) {
      lane_.PrefetchGlobal(from.dt_bias + channel + line);
    }
  }

  /// Padded row: zeros in the output, nothing else (section 2.4).
  SAMEBITS_DEVICE void Pad(const Item& item, int block) {
    if (p_ == 0) lane_.StoreShared(shared_.meta(block), int32_t{0});
    SAMEBITS_ROLLED
    for (int t = 0; t < T; ++t) {
      const int64_t row = int64_t{item.request} * T + t;
      lane_.StoreGlobal(params_.operands.output + row * params_.operands.output_stride +
                            item.head * kHeadDim + p_,
                        uint16_t{0});
    }
  }

  SAMEBITS_DEVICE void Prepare(const Item& item, int block) {
    float beta_logit = 0.0f;
    int32_t target = 0;  // w_t of token p
    if (p_ < T) {
      if (!params_.record) {
        target = lane_.LoadGlobal(params_.operands.slots +
                                  int64_t{item.request} * params_.operands.slots_stride + p_);
      }
      const int64_t row = int64_t{item.request} * T + p_;
      beta_logit = lane_.FromBf16(
          lane_.LoadGlobal(params_.operands.beta + row * params_.operands.beta_stride + item.head));
    }

    CopyGate(block);
    if (params_.conv_dim_first) lane_.FenceProxyAsync();
    p_ = lane_.Opaque(p_);  // nothing of the convolution's addresses stays in registers
    Gate<Lane, T, kTaps> gate(lane_, params_, shared_, item, group_, p_, block);
    gate.LoadWeights(0);  // they arrive from the L2 cache while the sums are exchanged
    SumSquares(block);
    gate.Run();
    if (p_ < T) {
      const float beta = Sigmoid(lane_, beta_logit);
      lane_.StoreShared(shared_.beta(block) + p_, beta);
      lane_.StoreShared(shared_.meta(block) + 4 + p_, target);
      if constexpr (kTaps) {
        const int64_t row = TapRow<T>(lane_, params_, item.request, item.head, p_);
        lane_.StoreGlobal(params_.taps.beta + row / kHeadDim, beta);
      }
    }
    GroupBarrier();  // the sums of every warp and the new windows are in shared memory
    if (params_.conv_dim_first && p_ == 0) staging().StoreWindows(item);
    Normalise(item, block);
    if (p_ == 0) WriteMeta(item, block);
  }

  SAMEBITS_DEVICE void Convolve(const Item& item, int block, const ConvWeights& weights) {
    SAMEBITS_UNROLL
    for (int part = 0; part < 3; ++part) {
      p_ = lane_.Opaque(p_);
      ConvolvePart(part, item, block, weights.tap[part]);
    }
  }

  /// u of one part, all tokens, into the operand block (q and k are normalised there later, by the
  /// same thread); also moves the window on (sections 3.2 and 5).
  SAMEBITS_DEVICE void ConvolvePart(int part, const Item& item, int block,
                                    const float (&weight)[kda_decode::kConvWidth]) {
    float start = 0.0f;
    if (params_.has_bias) {
      const int64_t row = int64_t{part} * params_.heads + item.head;
      start = lane_.LoadGlobal(params_.operands.bias + row * kHeadDim + p_);
    }
    uint32_t z[3 + T];  // the sequence, as bits of f32: three taps, then the inputs
    SAMEBITS_UNROLL
    for (int i = 0; i < 3; ++i) z[i] = staging().LoadTap(part, item.offset, i);
    SAMEBITS_UNROLL
    for (int t = 0; t < T; ++t) {
      z[3 + t] = uint32_t{lane_.LoadShared(shared_.x_row(group_, t, part) + p_)} << 16;
    }
    SAMEBITS_UNROLL
    for (int t = 0; t < T; ++t) {
      float acc = start;
      SAMEBITS_UNROLL
      for (int i = 0; i < kda_decode::kConvWidth; ++i) {
        acc = lane_.Fma(lane_.FromBits(z[t + i]), weight[i], acc);
      }
      const float silu = lane_.DivFull(acc, lane_.Add(1.0f, Exp(lane_, -acc)));
      const uint16_t rounded = lane_.ToBf16(silu);
      lane_.StoreShared(PartRow(part, block, t) + p_, lane_.FromBf16(rounded));
      if (part == 1 && params_.record) {
        lane_.StoreGlobal(KeyGateRecord<T>(params_, item, t) + p_, rounded);
      }
      if constexpr (kTaps) {
        const int64_t row =
            TapRow<T>(lane_, params_, item.request, item.head, t) + lane_.Opaque(p_);
        lane_.StoreGlobal(params_.taps.conv_acc[part] + row, acc);
        lane_.StoreGlobal(params_.taps.conv[part] + row, lane_.FromBf16(rounded));
      }
    }
    staging().WriteWindow(part, item, z);
  }

  SAMEBITS_DEVICE float* PartRow(int part, int block, int t) const {
    return part == 0 ? shared_.q(block, t) : part == 1 ? shared_.k(block, t) : shared_.v(block, t);
  }

  SAMEBITS_DEVICE void CopyGate(int block) {
    SAMEBITS_UNROLL
    for (int t = 0; t < T; ++t) {
      lane_.StoreShared(shared_.gate(block, t) + p_,
                        lane_.LoadShared(shared_.gate_row(group_, t) + p_));
    }
  }

  /// Per-warp sums of the squares of q and k (sections 3.3 and 4.2). Value 2 t is q of token t,
  /// 2 t + 1 k. Each exchange keeps half of the values; lane L ends with value L * kSums / 32.
  SAMEBITS_DEVICE void SumSquares(int block) {
    const int lane_id = p_ % 32;
    float value[kSums] = {};
    SAMEBITS_UNROLL
    for (int t = 0; t < T; ++t) {
      const float q = lane_.LoadShared(shared_.q(block, t) + p_);
      const float k = lane_.LoadShared(shared_.k(block, t) + p_);
      value[2 * t] = lane_.Mul(q, q);
      value[2 * t + 1] = lane_.Mul(k, k);
    }
    Exchange<kSums / 2>(lane_id, value);
    SAMEBITS_UNROLL
    for (int distance = 16 / kSums; distance >= 1; distance /= 2) {
      value[0] = lane_.Add(value[0], lane_.ShuffleXor(value[0], distance));
    }
    constexpr int kLanesPerValue = 32 / kSums;
    if (lane_id % kLanesPerValue == 0) {
      lane_.StoreShared(shared_.sums(group_, lane_id / kLanesPerValue) + p_ / 32, value[0]);
    }
  }

  /// The step that leaves kHalf values, and those after it. Recursive, so that every index of
  /// `value` is known to the compiler.
  template <int kHalf>
  SAMEBITS_DEVICE void Exchange(int lane_id, float (&value)[kSums]) {
    constexpr int kDistance = 32 * kHalf / kSums;
    const bool upper = (lane_id & kDistance) != 0;
    SAMEBITS_UNROLL
    for (int i = 0; i < kHalf; ++i) {
      const float send = upper ? value[i] : value[i + kHalf];
      const float keep = upper ? value[i + kHalf] : value[i];
      value[i] = lane_.Add(keep, lane_.ShuffleXor(send, kDistance));
    }
    if constexpr (kHalf > 1) Exchange<kHalf / 2>(lane_id, value);
  }

  /// Sections 3.3 and 3.4.
  SAMEBITS_DEVICE void Normalise(const Item& item, int block) {
    SAMEBITS_ROLLED
    for (int t = 0; t < T; ++t) {
      float* q = shared_.q(block, t) + p_;
      float* k = shared_.k(block, t) + p_;
      const float q_sum = NormSum(2 * t), k_sum = NormSum(2 * t + 1);
      const float q_inv = lane_.Rcp(lane_.Sqrt(q_sum)), k_inv = lane_.Rcp(lane_.Sqrt(k_sum));
      const float qn = lane_.Mul(lane_.Mul(lane_.LoadShared(q), q_inv), params_.operands.scale);
      const float kn = lane_.Mul(lane_.LoadShared(k), k_inv);
      lane_.StoreShared(q, qn);
      lane_.StoreShared(k, kn);
      if constexpr (kTaps) {
        const int64_t row = TapRow<T>(lane_, params_, item.request, item.head, t);
        lane_.StoreGlobal(params_.taps.norm[0] + row + p_, qn);
        lane_.StoreGlobal(params_.taps.norm[1] + row + p_, kn);
        if (p_ == 0) {
          lane_.StoreGlobal(params_.taps.norm_sum[0] + row / kHeadDim, q_sum);
          lane_.StoreGlobal(params_.taps.norm_sum[1] + row / kHeadDim, k_sum);
          lane_.StoreGlobal(params_.taps.norm_inv[0] + row / kHeadDim, q_inv);
          lane_.StoreGlobal(params_.taps.norm_inv[1] + row / kHeadDim, k_inv);
        }
      }
    }
  }

  SAMEBITS_DEVICE float NormSum(int value) {
    return lane_.Add(CrossWarpSum(lane_, shared_.sums(group_, value)),
                     lane_.FromBits(0x358637BD));  // 1e-6
  }

  /// [1, request, head, slots[r][0]]; w_0 ... w_{T-1} follow (sections 2.4, 2.5 and 7.3).
  SAMEBITS_DEVICE void WriteMeta(const Item& item, int block) {
    int32_t* meta = shared_.meta(block);
    lane_.StoreShared(meta, int32_t{1});
    lane_.StoreShared(meta + 1, int32_t{item.request});
    lane_.StoreShared(meta + 2, int32_t{item.head});
    lane_.StoreShared(meta + 3, int32_t{item.conv_slot});
  }

  const Lane& lane_;
  const Params& params_;
  Shared<T> shared_;
  ItemRange items_;
  int group_;
  int p_;
};

}  // namespace samebits::gpu::kda_ws

#endif  // SAMEBITS_GPU_KDA_DECODE_PREP_CUH_
