// Prep group 1 (SPEC.md sections 3.5 to 3.7, 7.3): decays, betas and what the scan is told of an
// item.
#ifndef SAMEBITS_GPU_KDA_DECODE_GATE_GROUP_CUH_
#define SAMEBITS_GPU_KDA_DECODE_GATE_GROUP_CUH_

#include "gpu/kda_decode/block.cuh"
#include "gpu/kda_decode/gate.cuh"
#include "gpu/kda_decode/prep_group.cuh"

namespace samebits::gpu::kda_ws {

template <class Lane, int T, bool kTaps>
class GateGroup : PrepGroup<Lane, T, kGateGroup> {
  using Base = PrepGroup<Lane, T, kGateGroup>;
  using Base::at_, Base::items_, Base::lane_, Base::p_, Base::params_, Base::shared_, Base::slots_,
      Base::staging_;

 public:
  SAMEBITS_DEVICE GateGroup(const Lane& lane, const Params& params, Shared<T> shared,
                            ItemRange items, int p)
      : Base(lane, params, shared, items, p) {}

  /// All items of the block, of which there is one at least.
  SAMEBITS_DEVICE void Run() {
    Start();
    SAMEBITS_ROLLED
    for (int j = 0; j < items_.count; ++j) {
      p_ = lane_.Opaque(p_);  // no address of one item is kept in registers for the next
      AwaitWeights();
      PrepareItem(j);
      at_.Advance(1, params_.requests);
    }
  }

 private:
  /// What thread t loads for token t of an item.
  struct TokenWords {
    int32_t target = 0;  // w_t
    uint16_t beta_logit = 0;
  };

  SAMEBITS_DEVICE void Start() {
    Item first, second;
    Base::Begin(first, second);
    LoadA();
    lane_.GridDependencyWait();
    lane_.GridLaunchDependents();
    Base::StageFirst(first, second);
    words_ = Load(first);
  }

  SAMEBITS_DEVICE TokenWords Load(const Item& item) const {
    TokenWords words;
    if (p_ >= T || item.slot <= 0) return words;
    const kda_decode::Operands& from = params_.operands;
    if (!params_.record) {
      words.target = lane_.LoadGlobal(from.slots + int64_t{item.request} * from.slots_stride + p_);
    }
    const int64_t row = int64_t{item.request} * T + p_;
    words.beta_logit = lane_.LoadGlobal(from.beta + row * from.beta_stride + item.head);
    return words;
  }

  /// beta and the target slot of token p (sections 3.5 and 2.4).
  SAMEBITS_DEVICE void WriteTokenWords(const Item& item, int block) {
    if (p_ >= T) return;
    const float beta = Sigmoid(lane_, lane_.FromBf16(words_.beta_logit));
    lane_.StoreShared(shared_.beta(block) + p_, beta);
    lane_.StoreShared(shared_.meta(block) + 4 + p_, int32_t{words_.target});
    if constexpr (kTaps) {
      const int64_t row = TapRow<T>(lane_, params_, item.request, item.head, p_);
      lane_.StoreGlobal(params_.taps.beta + row / kHeadDim, beta);
    }
  }

  SAMEBITS_DEVICE void AwaitWeights() {
    if (!Base::AwaitWeights()) return;
    if (at_.head != Base::first_head_) LoadA();
    dt_bias_ = Base::weights().DtBias(at_.head, p_);
  }
  SAMEBITS_DEVICE void LoadA() {
    a_ = Exp(lane_, lane_.LoadGlobal(params_.operands.a_log + at_.head));
  }

  SAMEBITS_DEVICE void PrepareItem(int j) {
    const int block = OperandBlock(j);
    const Item item = slots_.Read(j, at_);
    lane_.MbarrierWait(Base::staged(j), j / kStages % 2);
    if (p_ == 0) Base::RowsAreThere(j);
    if (j >= kBlocks) lane_.MbarrierWait(shared_.released(block), (j / kBlocks - 1) % 2);
    if (p_ == 0) WriteMeta(item, j);
    const bool real = item.slot > 0;
    if (real) Prepare(item, j, block);
    lane_.MbarrierArrive(shared_.ops_full(block));
    if (!real) Pad(item);
    if (j + 1 < items_.count) words_ = Load(slots_.Read(j + 1, Base::Ahead(1)));
    Base::GroupBarrier();  // staging is free
    Base::StageNext(j);
  }

  SAMEBITS_DEVICE void Prepare(const Item& item, int j, int block) {
    Gate<Lane, T, kTaps> gate(lane_, params_, shared_, item, j % kStages, p_, block);
    gate.Products();
    WriteTokenWords(item, block);
    float raw[T];
    SAMEBITS_UNROLL
    for (int t = 0; t < T; ++t) raw[t] = gate.Decay(t, a_, dt_bias_);
    if (params_.record) RecordGates(item, raw);
  }

  SAMEBITS_DEVICE void RecordGates(const Item& item, const float (&raw)[T]) {
    uint16_t* record = KeyGateRecord<T>(params_, item, 0) + kHeadDim + p_;
    SAMEBITS_UNROLL
    for (int t = 0; t < T; ++t) {
      lane_.StoreGlobal(record + t * 2 * kHeadDim, Bf16Bits(lane_, raw[t]));
    }
  }

  /// Padded row: zeros in the output, nothing else (section 2.4).
  SAMEBITS_DEVICE void Pad(const Item& item) {
    SAMEBITS_ROLLED
    for (int t = 0; t < T; ++t) {
      const int64_t row = int64_t{item.request} * T + t;
      lane_.StoreGlobal(params_.operands.output + row * params_.operands.output_stride +
                            item.head * kHeadDim + p_,
                        uint16_t{0});
    }
  }

  /// [real, request, head, slots[r][0]]; w_0 ... w_{T-1} follow (sections 2.4, 2.5 and 7.3); the
  /// state slot of item j + 2.
  SAMEBITS_DEVICE void WriteMeta(const Item& item, int j) {
    int32_t* meta = shared_.meta(OperandBlock(j));
    lane_.StoreShared(meta, int32_t{item.slot > 0});
    lane_.StoreShared(meta + 1, int32_t{item.request});
    lane_.StoreShared(meta + 2, int32_t{item.head});
    lane_.StoreShared(meta + 3, int32_t{item.conv_slot});
    lane_.StoreShared(meta + kMetaNext, int32_t{slots_.Read(j + 2, at_).slot});
  }

  float a_ = 0, dt_bias_ = 0;  // A and the bias of the feature, of the current head
  TokenWords words_{};         // of the next item
};

}  // namespace samebits::gpu::kda_ws

#endif  // SAMEBITS_GPU_KDA_DECODE_GATE_GROUP_CUH_
