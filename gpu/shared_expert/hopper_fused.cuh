// The sm_90a kernel of FUSED (SPEC.md 6.10), rung F3 of the fallback ladder: no clusters. Block
// (m, c) multiplies K span c of M-tile m, the blocks of a tile exchange their partial sums through
// global memory, then every block multiplies a down tile by the h of all. The weights of both are
// one stream (hopper_stream.cuh), the down tile's behind the span's.
//
// Exchanged words are their own flags: a reader polls the data until no word is kEmpty, so neither
// exchange needs a fence, a counter or a barrier over the grid. Both alternate between two halves,
// and a launch empties what the one before has filled.
#ifndef SAMEBITS_GPU_SHARED_EXPERT_HOPPER_FUSED_CUH_
#define SAMEBITS_GPU_SHARED_EXPERT_HOPPER_FUSED_CUH_

#include "gpu/shared_expert/hopper_block.cuh"
#include "gpu/shared_expert/hopper_reduce.cuh"
#include "gpu/shared_expert/hopper_stream.cuh"
#include "gpu/shared_expert/watchdog.cuh"

namespace samebits::gpu::shared_expert {

template <class Lane, int N, bool kTaps>
class HopperFused {
 public:
  SAMEBITS_DEVICE HopperFused(const Lane& lane, const Params& params)
      : lane_(lane),
        params_(params),
        has_down_(lane.BlockIndex() < params.down_tiles),
        tile_(DivideByKs(params, lane.BlockIndex())),
        rank_(lane.BlockIndex() - tile_ * params.ks),
        span_(SpanOf(params, rank_)) {}

  SAMEBITS_DEVICE void Run() {
    const StreamShape shape = Shape();
    const StreamMemory memory = Memory();
    const Loads loads{lane_, params_, tile_, span_};
    WeightLoader<Lane, Loads> weights(lane_, shape, memory, loads);
    const int loader = lane_.ThreadIndex() / 32 - kStreamWarps;  // warp that loads; 0: weights
    StartStream(lane_, shape, memory, &weights, loader);
    if (loader < 0) {
      lane_.template RegistersIncrease<kFusedStreamRegisters>();
      Consume(shape, memory);
      return;
    }
    lane_.template RegistersDecrease<kFusedLoaderRegisters>();
    if (loader == 0) {
      if (lane_.ElectOne()) weights.Run();
    } else {
      LoadRows(shape, memory, loads, loader - 1);
    }
  }

 private:
  using Products = StreamConsumer<Lane, N, HopperFusedHeld(N)>;

  static constexpr int kChunksPerBlock = 8 * N;  // 16-byte chunks of h in a K block
  /// K blocks of h that are asked for at once, and a thread's chunks of them.
  static constexpr int kRows = HopperFusedRows(N);
  static constexpr int kChunks = kRows * kChunksPerBlock / kStreamThreads;

  struct Loads {
    const Lane& lane;
    const Params& params;
    int tile;
    Span span;

    /// The span's, then those of the down tile.
    SAMEBITS_DEVICE void Weights(int i, int b, std::byte* to, uint64_t* barrier) const {
      if (i == 0) {
        LoadGateUp(lane, params, tile, span.first + b, to, barrier);
      } else {
        lane.TensorLoadOnce(to, &params.down_map, kBlockK * b, kTileRows * lane.BlockIndex(),
                            barrier);
      }
    }
    SAMEBITS_DEVICE const TensorMap* rows_map() const { return &params.x_map; }
    SAMEBITS_DEVICE void Rows(int b, std::byte* to, uint64_t* barrier) const {
      lane.TensorLoad(to, &params.x_map, kBlockK * (span.first + b), 0, barrier);
    }
  };

  SAMEBITS_DEVICE StreamShape Shape() const {
    return {.tiles = has_down_ ? 2 : 1,
            .row_tiles = 1,
            .first = span_.count,
            .blocks = params_.down_blocks,
            .held = HeldOf(span_.count, params_.held),
            .stages = params_.stages,
            .flight = params_.flight,
            .runs = params_.runs};
  }
  SAMEBITS_DEVICE StreamMemory Memory() const {
    return PlaceStream<N>(lane_.shared(), params_.runs, 0, params_.stages);
  }
  SAMEBITS_DEVICE uint32_t* half_word() const {
    return reinterpret_cast<uint32_t*>(Memory().barriers + kStreamBarriers);
  }

  // The warps that load rows.

  SAMEBITS_DEVICE void LoadRows(const StreamShape& shape, const StreamMemory& memory,
                                const Loads& loads, int loader) {
    const bool takes = loader == 0 && lane_.ThreadIndex() % 32 == 0;
    if (lane_.ElectOne()) LoadRuns<N>(lane_, shape, memory, loads, loader);
    lane_.WarpBarrier();
    lane_.GridDependencyWait();
    if (takes) {
      const uint32_t ticket = lane_.template AtomicAdd<Order::kRelaxed>(params_.exchange.ticket, 1);
      lane_.StoreShared(half_word(), HalfOf(ticket));
    }
    AwaitHalf();
    EmptyOtherHalf();
  }
  /// Which half of the exchange this launch uses: all its blocks take a ticket of one launch.
  SAMEBITS_DEVICE uint32_t HalfOf(uint32_t ticket) const {
    const uint32_t blocks = static_cast<uint32_t>(lane_.GridBlocks());
    if (ticket == 2 * blocks - 1) {
      lane_.template AtomicStore<Order::kRelaxed>(params_.exchange.ticket, 0);
    }
    return ticket < blocks ? 0 : 1;
  }
  /// By all threads but those of the warp that loads weights.
  SAMEBITS_DEVICE void AwaitHalf() {
    lane_.NamedBarrier(kHalfBarrier, kStreamThreads + kRowThreads);
    half_ = static_cast<int>(lane_.LoadShared(half_word()));
  }
  /// The half that the launch before filled: all of its readers are done.
  SAMEBITS_DEVICE void EmptyOtherHalf() const {
    const int64_t other = 1 - half_;
    EmptyByRowLoaders(lane_, params_.exchange.h + other * half_chunks(), half_chunks());
    EmptyByRowLoaders(lane_, params_.exchange.parts + other * params_.part_chunks,
                      params_.part_chunks);
  }
  SAMEBITS_DEVICE int half_chunks() const { return params_.down_blocks * kChunksPerBlock; }

  // The warps that multiply.

  SAMEBITS_DEVICE void Consume(const StreamShape& shape, const StreamMemory& memory) {
    Products products(lane_, shape, memory);
    products.Hold();
    lane_.GridDependencyWait();
    typename Products::Accumulators parts;
    products.MultiplyTile(parts);
    AwaitHalf();
    StoreParts<N, kTaps>(lane_, params_, half_, tile_ * params_.ks + rank_, parts);
    Reducer<Lane, N, kStreamThreads, kTaps>{lane_, params_, tile_, rank_, half_}.Run();
    if (has_down_) Down(&products, memory.rows);
  }

  /// `rows`: the memory of x, which is multiplied.
  SAMEBITS_DEVICE void Down(Products* products, std::byte* rows) {
    uint16_t* mailbox = lane_.Opaque(MailboxOf(params_, lane_.BlockIndex()));
    typename Products::Accumulators d;
    const int room = params_.runs * kTogether;
    const int batch = kRows < room ? kRows : room;
    Rows next;
    RequestRows(0, batch, &next);
    SAMEBITS_ROLLED
    for (int j = 0; j < params_.down_blocks; j += batch) {
      const int blocks = BlocksFrom(j, batch);
      // The rows before may still be read.
      if (j > 0) lane_.NamedBarrier(kConsumerBarrier, kStreamThreads);
      ReceiveRows(j, blocks, rows, &next);
      if (j + batch < params_.down_blocks) RequestRows(j + batch, batch, &next);
      products->MultiplyRows(d, j, blocks);
    }
    lane_.NamedBarrier(kConsumerBarrier, kStreamThreads);
    PushTile<N, kTaps>(lane_, params_, d, reinterpret_cast<uint16_t*>(rows), lane_.BlockIndex(),
                       mailbox);
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
      if (IsToken(lane_.ThreadIndex() + i * kStreamThreads, count)) {
        rows->chunk[i] = lane_.LoadRelaxed(from + i * kStreamThreads);
      }
    }
  }
  /// Polls what was not present and puts all of it to `rows`.
  SAMEBITS_DEVICE void ReceiveRows(int j, int blocks, std::byte* rows, Rows* received) {
    const Word4* from = RowsFrom(j);
    Watchdog watchdog;
    bool missing = true;
    while (missing) {
      missing = false;
      SAMEBITS_UNROLL
      for (int i = 0; i < kChunks; ++i) {
        if (HasEmpty(received->chunk[i])) {
          received->chunk[i] = lane_.LoadRelaxed(from + i * kStreamThreads);
          missing = true;
        }
      }
      if (missing) watchdog.Count(lane_);
    }
    SAMEBITS_UNROLL
    for (int i = 0; i < kChunks; ++i) {
      const int item = lane_.ThreadIndex() + i * kStreamThreads;
      if (item < blocks * kChunksPerBlock) {
        lane_.StoreShared(reinterpret_cast<Word4*>(rows) + item, received->chunk[i]);
      }
    }
    lane_.FenceProxyAsync();
    lane_.NamedBarrier(kConsumerBarrier, kStreamThreads);
  }
  SAMEBITS_DEVICE bool IsToken(int item, int count) const {
    return item < count && item % kChunksPerBlock / 8 < params_.batch;
  }

  const Lane& lane_;
  const Params& params_;
  bool has_down_;
  int tile_;
  int rank_;
  Span span_;
  int half_ = 0;
};

}  // namespace samebits::gpu::shared_expert

#endif  // SAMEBITS_GPU_SHARED_EXPERT_HOPPER_FUSED_CUH_
