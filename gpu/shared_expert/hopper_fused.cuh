// The sm_90a kernel of FUSED (SPEC.md 6.10), rung F3 of the fallback ladder:
// no clusters. Block (m, c) multiplies K span c of M-tile m, the blocks of a tile exchange their
// partial sums through global memory, then every block multiplies a down tile by the h of all.
//
// Exchanged words are their own flags: a reader polls the data until no word is kEmpty, so neither
// exchange needs a fence, a counter or a barrier over the grid. What a thread alone reads it
// empties itself; h, which all blocks read, alternates between two halves, and a launch empties the
// other.
#ifndef SAMEBITS_GPU_SHARED_EXPERT_HOPPER_FUSED_CUH_
#define SAMEBITS_GPU_SHARED_EXPERT_HOPPER_FUSED_CUH_

#include "gpu/shared_expert/hopper_block.cuh"
#include "gpu/shared_expert/hopper_products.cuh"
#include "gpu/shared_expert/hopper_reduce.cuh"
#include "gpu/shared_expert/ring.cuh"
#include "gpu/shared_expert/watchdog.cuh"

namespace samebits::gpu::shared_expert {

template <class Lane, int N, bool kTaps>
class HopperFused {
 public:
  SAMEBITS_DEVICE HopperFused(const Lane& lane, const Params& params)
      : lane_(lane),
        params_(params),
        stages_(params.stages),
        has_down_(lane.BlockIndex() < params.down_tiles),
        tile_(DivideByKs(params, lane.BlockIndex())),
        rank_(lane.BlockIndex() - tile_ * params.ks),
        span_(SpanOf(params, rank_)) {}

  SAMEBITS_DEVICE void Run() {
    const bool consumes = lane_.ThreadIndex() < kConsumers;
    // One thread issues all copies. The compiler must see that, or it puts a loop around each.
    if (!consumes && lane_.ElectOne()) {
      InitBarriers();
      StartWeights();
    }
    lane_.BlockBarrier();
    if (consumes) {
      Consume();
    } else if (lane_.ElectOne()) {
      Produce();
    }
  }

 private:
  static constexpr int kConsumers = shared_expert::kConsumers<N>;
  static constexpr int kStage = HopperStageBytes(N);
  static constexpr int kRowsBytes = 128 * N;
  static constexpr int kChunksPerBlock = 8 * N;  // 16-byte chunks of h in a K block
  /// K blocks of h that are asked for at once, by what registers hold per thread.
  static constexpr int kInFlight = N < 32 ? 12 : HopperBlocks(N) == 2 ? 7 : 8;
  static constexpr int kBatch =
      kInFlight * kConsumers < kChunksPerBlock ? 1 : kInFlight * kConsumers / kChunksPerBlock;
  static constexpr int kChunks = (kBatch * kChunksPerBlock + kConsumers - 1) / kConsumers;

  SAMEBITS_DEVICE std::byte* tail() const { return lane_.shared() + stages_ * kStage; }
  SAMEBITS_DEVICE std::byte* stage(int slot) const { return lane_.shared() + slot * kStage; }
  SAMEBITS_DEVICE std::byte* rows(int slot) const { return stage(slot) + kWeightTileBytes; }
  SAMEBITS_DEVICE uint64_t* full(int slot) const {
    return reinterpret_cast<uint64_t*>(tail()) + slot;
  }
  SAMEBITS_DEVICE uint64_t* empty(int slot) const { return full(slot) + kMaxStages; }
  SAMEBITS_DEVICE Ring ring() const { return {lane_.shared(), full(0), empty(0), stages_}; }
  /// Blocks of the first ring: their weights need not wait for the grid before.
  SAMEBITS_DEVICE int early() const { return span_.count < stages_ ? span_.count : stages_; }
  SAMEBITS_DEVICE uint32_t* half_word() const {
    return reinterpret_cast<uint32_t*>(full(2 * kMaxStages));
  }

  SAMEBITS_DEVICE void InitBarriers() {
    SAMEBITS_ROLLED
    for (int s = 0; s < stages_; ++s) {
      lane_.MbarrierInit(full(s), 1);
      lane_.MbarrierInit(empty(s), kConsumers / 32);
    }
    lane_.MbarrierInitFence();
  }

  // The producer: one thread.

  /// Weights of block b of the span.
  SAMEBITS_DEVICE void LoadWeights(int slot, int b) {
    std::byte* to = stage(slot);
    const int column = kBlockK * (span_.first + b), row = kTileRows / 2 * tile_;
    lane_.TensorLoad(to, &params_.gate_up_map, column, row, full(slot));
    lane_.TensorLoad(to + kWeightTileBytes / 2, &params_.gate_up_map, column, params_.hidden + row,
                     full(slot));
  }
  SAMEBITS_DEVICE void LoadRows(int slot, int b) {
    lane_.TensorLoad(rows(slot), &params_.x_map, kBlockK * (span_.first + b), 0, full(slot));
  }
  /// Until the consumers have read what the stage held.
  SAMEBITS_DEVICE void WaitEmpty(RingPlace at) { lane_.MbarrierWait(empty(at.slot), at.phase ^ 1); }

  /// Weights do not depend on the grid before.
  SAMEBITS_DEVICE void StartWeights() {
    SAMEBITS_ROLLED
    for (int b = 0; b < early(); ++b) {
      lane_.MbarrierArriveExpect(full(b), kWeightTileBytes + kRowsBytes);
      LoadWeights(b, b);
    }
  }
  SAMEBITS_DEVICE void Produce() {
    lane_.GridDependencyWait();
    RingPlace at;
    SAMEBITS_ROLLED
    for (int b = 0; b < early(); ++b, at.Advance(stages_)) LoadRows(b, b);
    SAMEBITS_ROLLED
    for (int b = early(); b < span_.count; ++b, at.Advance(stages_)) {
      WaitEmpty(at);
      lane_.MbarrierArriveExpect(full(at.slot), kWeightTileBytes + kRowsBytes);
      LoadWeights(at.slot, b);
      LoadRows(at.slot, b);
    }
    if (has_down_) ProduceDown(at);
    // Before, the next launch would stand in the way of the exchanges.
    lane_.GridLaunchDependents();
  }

  SAMEBITS_DEVICE void ProduceDown(RingPlace at) {
    const int row = kTileRows * lane_.BlockIndex();
    SAMEBITS_ROLLED
    for (int j = 0; j < params_.down_blocks; ++j) {
      lane_.TensorPrefetch(&params_.down_map, kBlockK * j, row);
    }
    SAMEBITS_ROLLED
    for (int j = 0; j < params_.down_blocks; ++j, at.Advance(stages_)) {
      WaitEmpty(at);
      lane_.MbarrierArriveExpect(full(at.slot), kWeightTileBytes);
      lane_.TensorLoad(stage(at.slot), &params_.down_map, kBlockK * j, row, full(at.slot));
    }
  }

  // The consumers.

  /// Of all blocks that the ring carries, gate/up and then down, those whose stages are loaded
  /// again.
  SAMEBITS_DEVICE int reused() const {
    return span_.count + (has_down_ ? params_.down_blocks : 0) - stages_;
  }

  SAMEBITS_DEVICE void Consume() {
    const Products<N, kStage, Lane> products(lane_, ring());
    lane_.GridDependencyWait();
    uint32_t ticket = 0;
    if (lane_.ThreadIndex() == 0) {
      ticket = lane_.template AtomicAdd<Order::kRelaxed>(params_.exchange.ticket, 1);
    }
    RingPlace at;
    Fragment<N> parts;
    products.Stream(parts, {0, span_.count, reused()}, &at, [&](int slot) { return rows(slot); });
    StoreParts<N, kGroupColumns<N>, kTaps>(lane_, params_, tile_ * params_.ks + rank_,
                                           lane_.ThreadIndex() / 128, parts);
    ShareHalf(ticket);
    Reducer<Lane, N, kConsumers, kTaps>{lane_, params_, tile_, rank_, half_}.Run();
    EmptyOtherHalf();
    if (has_down_) Down(at);
  }

  /// Which half of the exchanged h this launch uses: all its blocks take a ticket of one launch.
  SAMEBITS_DEVICE void ShareHalf(uint32_t ticket) {
    const uint32_t blocks = static_cast<uint32_t>(lane_.GridBlocks());
    if (lane_.ThreadIndex() == 0) {
      if (ticket == 2 * blocks - 1) {
        lane_.template AtomicStore<Order::kRelaxed>(params_.exchange.ticket, 0);
      }
      lane_.StoreShared(half_word(), ticket < blocks ? 0u : 1u);
    }
    lane_.NamedBarrier(kConsumerBarrier, kConsumers);
    half_ = static_cast<int>(lane_.LoadShared(half_word()));
  }

  SAMEBITS_DEVICE int half_chunks() const { return params_.down_blocks * kChunksPerBlock; }

  /// The half that the launch before filled: all of its readers are done.
  SAMEBITS_DEVICE void EmptyOtherHalf() {
    Word4* other = params_.exchange.h + int64_t{1 - half_} * half_chunks();
    const int step = lane_.GridBlocks() * kConsumers;
    for (int i = lane_.BlockIndex() * kConsumers + lane_.ThreadIndex(); i < half_chunks();
         i += step) {
      lane_.StoreRelaxed(other + i, {kEmpty, kEmpty, kEmpty, kEmpty});
    }
  }

  SAMEBITS_DEVICE void Down(RingPlace at) {
    const Products<N, kStage, Lane> products(lane_, ring());
    Fragment<N> d;
    const int batch = kBatch < stages_ ? kBatch : stages_;
    Rows next;
    RequestRows(0, batch, &next);
    SAMEBITS_ROLLED
    for (int j = 0; j < params_.down_blocks; j += batch) {
      const int blocks = BlocksFrom(j, batch);
      // The stages of this batch may still be read for the one before.
      if (j > 0 && 2 * batch > stages_) {
        lane_.NamedBarrier(kConsumerBarrier, kConsumers);
      }
      ReceiveRows(j, blocks, at, &next);
      if (j + batch < params_.down_blocks) RequestRows(j + batch, batch, &next);
      products.Stream(d, {j, blocks, reused() - span_.count - j}, &at,
                      [&](int slot) { return rows(slot); });
    }
    // The ring's stages are free: every load has been waited for.
    lane_.NamedBarrier(kConsumerBarrier, kConsumers);
    PushTile<kGroupColumns<N>, kConsumers, kTaps>(
        lane_, params_, d, reinterpret_cast<uint16_t*>(lane_.shared()), lane_.BlockIndex());
  }

  /// A thread's chunks of a batch of h.
  struct Rows {
    Word4 chunk[kChunks];
  };
  SAMEBITS_DEVICE int BlocksFrom(int j, int batch) const {
    const int left = params_.down_blocks - j;
    return left < batch ? left : batch;
  }
  SAMEBITS_DEVICE const Word4* RowsFrom(int j) const {
    return params_.exchange.h + int64_t{half_} * half_chunks() + j * kChunksPerBlock +
           lane_.ThreadIndex();
  }
  /// Asks for the h of the batch of K blocks from j on; present or not.
  SAMEBITS_DEVICE void RequestRows(int j, int batch, Rows* rows) const {
    const Word4* from = RowsFrom(j);
    const int count = BlocksFrom(j, batch) * kChunksPerBlock;
    SAMEBITS_UNROLL
    for (int i = 0; i < kChunks; ++i) {
      rows->chunk[i] = {0, 0, 0, 0};  // tokens past the batch
      if (IsToken(lane_.ThreadIndex() + i * kConsumers, count)) {
        rows->chunk[i] = lane_.LoadRelaxed(from + i * kConsumers);
      }
    }
  }
  /// Polls what was not present and puts all of it into the stages from `at` on.
  SAMEBITS_DEVICE void ReceiveRows(int j, int blocks, RingPlace at, Rows* received) {
    const Word4* from = RowsFrom(j);
    Watchdog watchdog;
    bool missing = true;
    while (missing) {
      missing = false;
      SAMEBITS_UNROLL
      for (int i = 0; i < kChunks; ++i) {
        if (HasEmpty(received->chunk[i])) {
          received->chunk[i] = lane_.LoadRelaxed(from + i * kConsumers);
          missing = true;
        }
      }
      if (missing) watchdog.Count(lane_);
    }
    SAMEBITS_UNROLL
    for (int i = 0; i < kChunks; ++i) {
      const int item = lane_.ThreadIndex() + i * kConsumers;
      if (item < blocks * kChunksPerBlock) {
        auto* to = reinterpret_cast<Word4*>(rows(at.After(item / kChunksPerBlock, stages_).slot));
        lane_.StoreShared(to + item % kChunksPerBlock, received->chunk[i]);
      }
    }
    lane_.FenceProxyAsync();
    lane_.NamedBarrier(kConsumerBarrier, kConsumers);
  }
  SAMEBITS_DEVICE bool IsToken(int item, int count) const {
    return item < count && item % kChunksPerBlock / 8 < params_.batch;
  }

  const Lane& lane_;
  const Params& params_;
  int stages_;
  bool has_down_;
  int tile_;
  int rank_;
  Span span_;
  int half_ = 0;
};

}  // namespace samebits::gpu::shared_expert

#endif  // SAMEBITS_GPU_SHARED_EXPERT_HOPPER_FUSED_CUH_
