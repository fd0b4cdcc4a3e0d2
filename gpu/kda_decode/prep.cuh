// The prep role (SPEC.md sections 3.2 to 3.7, 7.3): one warpgroup turns the projection rows of an
// item into the scan's operand block. Thread p is channel p of q, k and v.
#ifndef SAMEBITS_GPU_KDA_DECODE_PREP_CUH_
#define SAMEBITS_GPU_KDA_DECODE_PREP_CUH_

#include "gpu/kda_decode/block.cuh"
#include "gpu/kda_decode/epilogue.cuh"
#include "gpu/kda_decode/gate.cuh"
#include "gpu/kda_decode/head_weights.cuh"
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
    const bool any = group_ < items_.count;
    if (any) {
      const Position at = PositionOf(params_, items_.first + group_);
      if (p_ < 32) staging().StartRows(at.request, at.head);
      item_ = LocateItem<T>(lane_, params_, at);
      StageSlot();
      if (p_ == 0) LocateAhead(group_, kPrepGroups);
    }
    // Both groups pass from head to head together: each has left the old weights by then.
    const int first_head = items_.first / params_.requests;
    int heads = 0;  // that the weights have been awaited of
    if (items_.count > 0) AwaitWeights(first_head, heads++);
    int j = group_;
    SAMEBITS_ROLLED
    for (; j < items_.count; j += kPrepGroups) {
      // No address of one item is kept in registers for the next.
      p_ = lane_.Opaque(p_);
      group_ = lane_.Opaque(group_);
      for (; first_head + heads <= item_.head; ++heads) AwaitWeights(first_head + heads, heads);
      PrepareItem(j);
      if (j >= kPrepGroups) Finish(j - kPrepGroups);
    }
    if (items_.count > 0) {
      const int last_head = (items_.first + items_.count - 1) / params_.requests;
      for (; first_head + heads <= last_head; ++heads) AwaitWeights(first_head + heads, heads);
    }
    if (any) Finish(j - kPrepGroups);
    if (params_.conv_dim_first && p_ == 0) lane_.BulkWaitAll();
  }

 private:
  // q and k sums reduced together: a power of two of at least 2 T values.
  static constexpr int kSums = T == 1 ? 2 : T == 2 ? 4 : T <= 4 ? 8 : 16;
  static constexpr int kBothGroups = 4;  // named barrier of all prep threads

  SAMEBITS_DEVICE Staging<Lane, T> staging() const { return {lane_, params_, shared_, group_, p_}; }
  SAMEBITS_DEVICE HeadWeights<Lane> weights() const { return {lane_, params_}; }

  SAMEBITS_DEVICE void GroupBarrier() { lane_.NamedBarrier(1 + group_, kPrepThreads); }

  /// Waits for the weights of the block's head `index`; those of the first are on their way.
  SAMEBITS_DEVICE void AwaitWeights(int head, int index) {
    if (!weights().resident()) return;
    if (index > 0) {
      lane_.NamedBarrier(kBothGroups, kPrepGroups * kPrepThreads);  // the old ones are free
      if (group_ == 0 && p_ < 32) weights().Start(head, p_, shared_.weights_full());
    }
    lane_.MbarrierWait(shared_.weights_full(), index % 2);
  }

  /// Starts the copies of item_ that depend on its slots, and this thread's loads of what it alone
  /// needs of it.
  SAMEBITS_DEVICE void StageSlot() {
    if (p_ < 32) staging().StartWindows(item_);
    if (p_ < T && item_.slot > 0) {
      if (!params_.record) {
        target_ = lane_.LoadGlobal(params_.operands.slots +
                                   int64_t{item_.request} * params_.operands.slots_stride + p_);
      }
      const int64_t row = int64_t{item_.request} * T + p_;
      beta_logit_ =
          lane_.LoadGlobal(params_.operands.beta + row * params_.operands.beta_stride + item_.head);
    }
  }

  /// Asks for the slots of item j + distance (item_ is item j), in one thread; WriteNext needs
  /// them.
  SAMEBITS_DEVICE void LocateAhead(int j, int distance) {
    if (j + distance >= items_.count) return;
    Position at{item_.head, item_.request};
    at.Advance(distance, params_.requests);
    ahead_ = LocateItem<T>(lane_, params_, at);
  }

  /// Item j + 2 in the meta of item j: for the scan role, which loads its state, and for ReadNext.
  SAMEBITS_DEVICE void WriteNext(int block) {
    int32_t* words = shared_.meta(block) + kMetaNext;
    lane_.StoreShared(words, int32_t{ahead_.slot});
    lane_.StoreShared(words + 1, int32_t{ahead_.conv_slot});
    lane_.StoreShared(words + 2, int32_t{ahead_.offset});
  }
  SAMEBITS_DEVICE Item ReadNext(int block) const {
    const int32_t* words = shared_.meta(block) + kMetaNext;
    Position at{item_.head, item_.request};
    at.Advance(kPrepGroups, params_.requests);
    Item item;
    item.head = at.head;
    item.request = at.request;
    item.slot = lane_.LoadShared(words);
    item.conv_slot = lane_.LoadShared(words + 1);
    item.offset = lane_.LoadShared(words + 2);
    return item;
  }

  /// Item j = item_, whose copies are on their way; leaves item j + 2 in the same state.
  SAMEBITS_DEVICE void PrepareItem(int j) {
    const int block = OperandBlock(j);
    if (p_ == 0) {
      WriteNext(block);
      LocateAhead(j, 2 * kPrepGroups);
    }
    lane_.MbarrierWait(shared_.staged(group_), j / kPrepGroups % 2);
    const bool real = item_.slot > 0;
    if (real) {
      Convolve(block);
      CopyGate(block);
      if (params_.conv_dim_first) lane_.FenceProxyAsync();
      SumSquares(block);
      Gate<Lane, T, kTaps>(lane_, params_, shared_, item_, group_, p_, block).Run();
      WriteBetas(block);
    }
    GroupBarrier();  // staging is free; the sums and the new windows are in shared memory
    const Item item = item_;
    if (real && params_.conv_dim_first && p_ == 0) {
      staging().StoreWindows(item);
      lane_.BulkWaitRead();
    }
    if (j + kPrepGroups < items_.count) {
      item_ = ReadNext(block);
      if (p_ < 32) staging().StartRows(item_.request, item_.head);
      StageSlot();
    }
    if (real) {
      Normalise(item, block);
      if (p_ == 0) WriteMeta(item, block);
    } else {
      Pad(item, block);
    }
    lane_.MbarrierArrive(shared_.ops_full(block));
  }

  /// What is left of item j once it is scanned.
  SAMEBITS_DEVICE void Finish(int j) {
    const int block = OperandBlock(j);
    const float norm_weight = lane_.LoadGlobal(params_.operands.norm_weight + p_);
    lane_.MbarrierWait(shared_.done(block), j / kBlocks % 2);
    Epilogue<Lane, T, kTaps>(lane_, params_, shared_, group_, p_, norm_weight).Run(block);
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

  /// beta and the target slot of token p (sections 3.5 and 2.4).
  SAMEBITS_DEVICE void WriteBetas(int block) {
    if (p_ >= T) return;
    const float beta = Sigmoid(lane_, lane_.FromBf16(beta_logit_));
    lane_.StoreShared(shared_.beta(block) + p_, beta);
    lane_.StoreShared(shared_.meta(block) + 4 + p_, target_);
    if constexpr (kTaps) {
      const int64_t row = TapRow<T>(lane_, params_, item_.request, item_.head, p_);
      lane_.StoreGlobal(params_.taps.beta + row / kHeadDim, beta);
    }
  }

  SAMEBITS_DEVICE void Convolve(int block) {
    SAMEBITS_UNROLL
    for (int part = 0; part < 3; ++part) {
      p_ = lane_.Opaque(p_);
      ConvolvePart(part, item_, block);
    }
  }

  /// u of one part, all tokens, into the operand block (q and k are normalised there later, by the
  /// same thread); also moves the window on (sections 3.2 and 5).
  SAMEBITS_DEVICE void ConvolvePart(int part, const Item& item, int block) {
    const float start = params_.has_bias ? weights().Bias(item.head, part, p_) : 0.0f;
    float weight[kda_decode::kConvWidth];
    weights().LoadTaps(item.head, part, p_, weight);
    uint32_t z[3 + T];  // the sequence, as bits of f32: three taps, then the inputs
    staging().LoadTaps(part, item.offset, z);
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

  /// Sections 3.3 and 3.4.
  SAMEBITS_DEVICE void Normalise(const Item& item, int block) {
    SAMEBITS_ROLLED
    for (int t = 0; t < T; ++t) {
      float* q = shared_.q(block, t) + p_;
      float* k = shared_.k(block, t) + p_;
      const float q_sum = NormSum(block, 2 * t), k_sum = NormSum(block, 2 * t + 1);
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

  SAMEBITS_DEVICE float NormSum(int block, int value) {
    return lane_.Add(CrossWarpSum(lane_, shared_.sums(block, value)),
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
  Item item_{};              // the item that is staged
  int32_t target_ = 0;       // of it: w_t of token p
  uint16_t beta_logit_ = 0;  // of it: token p
  Item ahead_{};             // thread 0: the item after it
};

}  // namespace samebits::gpu::kda_ws

#endif  // SAMEBITS_GPU_KDA_DECODE_PREP_CUH_
