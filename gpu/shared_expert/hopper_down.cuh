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
    tiles_ = left <= 0 ? 0 : (left + lane.GridBlocks() - 1) / lane.GridBlocks();
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
    } else if (lane_.ElectOne()) {
      lane_.GridDependencyWait();
      LoadRuns<N>(lane_, shape, memory, loads, loader - 1);
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
      lane.TensorLoad(to, &params.down_map, kBlockK * j, kTileRows * tile, barrier);
    }
    SAMEBITS_DEVICE void Rows(int j, std::byte* to, uint64_t* barrier) const {
      lane.TensorLoad(to, &params.h_map, kBlockK * j, 0, barrier);
    }
  };

  SAMEBITS_DEVICE StreamShape Shape() const {
    const int whole = params_.down_blocks / kTogether * kTogether;
    return {tiles_,
            tiles_,
            params_.down_blocks,
            params_.down_blocks,
            tiles_ == 0 ? 0 : whole < params_.held ? whole : params_.held,
            params_.stages,
            params_.flight,
            params_.runs};
  }
  SAMEBITS_DEVICE std::byte* staging() const {
    return lane_.shared() + params_.runs * kTogether * 128 * N;
  }
  SAMEBITS_DEVICE StreamMemory Memory() const {
    std::byte* weights = staging() + kStagingBytes;
    return {lane_.shared(), weights,
            reinterpret_cast<uint64_t*>(weights + params_.stages * kWeightTileBytes)};
  }

  /// The parts that the gate half has summed, for the next one, while h is under way.
  SAMEBITS_DEVICE void EmptyParts() {
    const int step = lane_.GridBlocks() * kStreamThreads;
    SAMEBITS_ROLLED
    for (int i = lane_.BlockIndex() * kStreamThreads + lane_.ThreadIndex(); i < params_.part_chunks;
         i += step) {
      lane_.StoreRelaxed(params_.exchange.parts + i, {kEmpty, kEmpty, kEmpty, kEmpty});
    }
  }

  SAMEBITS_DEVICE void Consume(const StreamShape& shape, const StreamMemory& memory) {
    Products products(lane_, shape, memory);
    products.Hold();
    lane_.GridDependencyWait();
    if constexpr (kDownEmpties<N>) EmptyParts();
    SAMEBITS_ROLLED
    for (int i = 0; i < tiles_; ++i) {
      typename Products::Accumulators d;
      products.MultiplyTile(d);
      // Everybody has read the staged tile before.
      lane_.NamedBarrier(kConsumerBarrier, kStreamThreads);
      PushTile<N, kTaps>(lane_, params_, d, reinterpret_cast<uint16_t*>(staging()),
                                         lane_.BlockIndex() + i * lane_.GridBlocks());
    }
  }

  const Lane& lane_;
  const Params& params_;
  int tiles_;
};

}  // namespace samebits::gpu::shared_expert

#endif  // SAMEBITS_GPU_SHARED_EXPERT_HOPPER_DOWN_CUH_
