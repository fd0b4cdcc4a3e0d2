// SharedDown on sm_90a (SPEC.md 3.3, 6.8): persistent blocks take every `blocks`-th 64-row tile.
// The first tile's weights are on the multiprocessor before h may be read (hopper_stream.cuh). Bits
// as the fused kernel's second half.
#ifndef SAMEBITS_GPU_SHARED_EXPERT_HOPPER_DOWN_CUH_
#define SAMEBITS_GPU_SHARED_EXPERT_HOPPER_DOWN_CUH_

#include "gpu/shared_expert/hopper_block.cuh"
#include "gpu/shared_expert/hopper_stream.cuh"

namespace samebits::gpu::shared_expert {

template <class Lane, int N, bool kTaps>
class HopperDown {
 public:
  SAMEBITS_DEVICE HopperDown(const Lane& lane, const Params& params)
      : lane_(lane), params_(params) {
    const int left = params.down_tiles - lane.BlockIndex();
    tiles_ = (left + lane.GridBlocks() - 1) / lane.GridBlocks();
  }

  SAMEBITS_DEVICE void Run() {
    const StreamShape shape = Shape();
    const StreamMemory memory = Memory();
    const Loads loads{lane_, params_};
    WeightLoader<Lane, Loads> weights(lane_, shape, memory, loads);
    const int loader = lane_.ThreadIndex() / 32 - kStreamWarps;  // warp that loads; 0: weights
    StartStream(lane_, shape, memory, &weights, loader);
    if (loader < 0) {
      lane_.template RegistersIncrease<kStreamRegisters>();
      Consume(shape, memory);
      return;
    }
    lane_.template RegistersDecrease<kLoaderRegisters>();
    if (loader == 0) {
      if (lane_.ElectOne()) weights.Run();
      return;
    }
    if (lane_.ElectOne()) LoadRuns<N>(lane_, shape, memory, loads, loader - 1);
    if constexpr (kDownEmpties<N>) {
      lane_.WarpBarrier();
      lane_.GridDependencyWait();
      // What the gate half has summed, for the next one, behind the loads of h.
      EmptyByRowLoaders(lane_, params_.exchange.parts, params_.part_chunks);
    }
  }

 private:
  using Products = StreamConsumer<Lane, N, HopperDownHeld(N)>;

  static constexpr int kStagingBytes = HopperDownStagingBytes(N);

  struct Loads {
    const Lane& lane;
    const Params& params;

    SAMEBITS_DEVICE void Weights(int i, int j, std::byte* to, uint64_t* barrier) const {
      const int tile = lane.BlockIndex() + i * lane.GridBlocks();
      lane.TensorLoadOnce(to, &params.down_map, kBlockK * j, kTileRows * tile, barrier);
    }
    SAMEBITS_DEVICE const TensorMap* rows_map() const { return &params.h_map; }
    SAMEBITS_DEVICE void Rows(int j, std::byte* to, uint64_t* barrier) const {
      lane.TensorLoad(to, &params.h_map, kBlockK * j, 0, barrier);
    }
  };

  SAMEBITS_DEVICE StreamShape Shape() const {
    return {.tiles = tiles_,
            .row_tiles = tiles_,
            .first = params_.down_blocks,
            .blocks = params_.down_blocks,
            .held = HeldOf(params_.down_blocks, params_.held),
            .stages = params_.stages,
            .flight = params_.flight,
            .runs = params_.runs};
  }
  /// The output tile lies between rows and weights.
  SAMEBITS_DEVICE StreamMemory Memory() const {
    return PlaceStream<N>(lane_.shared(), params_.runs, kStagingBytes, params_.stages);
  }
  SAMEBITS_DEVICE uint16_t* staging() const {
    return reinterpret_cast<uint16_t*>(lane_.shared() + params_.runs * kTogether * 128 * N);
  }

  SAMEBITS_DEVICE void Consume(const StreamShape& shape, const StreamMemory& memory) {
    Products products(lane_, shape, memory);
    products.Hold();
    int tile = lane_.BlockIndex();
    // Known before h is.
    uint16_t* mailbox = lane_.Opaque(MailboxOf(params_, tile));
    lane_.GridDependencyWait();
    SAMEBITS_ROLLED
    for (int i = 0; i < tiles_; ++i) {
      if (i > 0) {
        tile += lane_.GridBlocks();
        mailbox = MailboxOf(params_, tile);
      }
      typename Products::Accumulators d;
      products.MultiplyTile(d);
      // Everybody has read the staged tile before.
      if (i > 0) lane_.NamedBarrier(kConsumerBarrier, kStreamThreads);
      PushTile<N, kTaps>(lane_, params_, d, staging(), tile, mailbox);
    }
  }

  const Lane& lane_;
  const Params& params_;
  int tiles_;
};

}  // namespace samebits::gpu::shared_expert

#endif  // SAMEBITS_GPU_SHARED_EXPERT_HOPPER_DOWN_CUH_
