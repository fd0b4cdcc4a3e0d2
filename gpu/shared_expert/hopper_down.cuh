// SharedDown on sm_90a (SPEC.md 3.3, 6.8): persistent blocks keep h in shared memory and take every
// `blocks`-th 64-row tile. Bits as the fused kernel's second half.
#ifndef SAMEBITS_GPU_SHARED_EXPERT_HOPPER_DOWN_CUH_
#define SAMEBITS_GPU_SHARED_EXPERT_HOPPER_DOWN_CUH_

#include "gpu/shared_expert/hopper_block.cuh"
#include "gpu/shared_expert/ring.cuh"

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
    if (lane_.ThreadIndex() == 0) InitBarriers();
    lane_.BlockBarrier();
    if (lane_.ThreadIndex() >= kConsumers) {
      if (lane_.ElectOne()) Produce();
    } else {
      lane_.GridDependencyWait();
      Consume();
    }
  }

 private:
  static constexpr int kConsumers = shared_expert::kConsumers<N>;
  static constexpr int kStagingBytes = HopperDownStagingBytes(N);
  static constexpr int kRowsBytes = 128 * N;

  SAMEBITS_DEVICE std::byte* image(int j) const { return lane_.shared() + j * kRowsBytes; }
  SAMEBITS_DEVICE std::byte* staging() const { return image(params_.down_blocks); }
  SAMEBITS_DEVICE std::byte* ring(int slot) const {
    return staging() + kStagingBytes + slot * kWeightTileBytes;
  }
  SAMEBITS_DEVICE uint64_t* barriers() const {
    return reinterpret_cast<uint64_t*>(ring(params_.stages));
  }
  SAMEBITS_DEVICE uint64_t* full(int slot) const { return barriers() + slot; }
  SAMEBITS_DEVICE uint64_t* empty(int slot) const { return full(slot) + kMaxStages; }
  SAMEBITS_DEVICE uint64_t* ready() const { return barriers() + 2 * kMaxStages; }

  SAMEBITS_DEVICE void InitBarriers() {
    SAMEBITS_ROLLED
    for (int s = 0; s < params_.stages; ++s) {
      lane_.MbarrierInit(full(s), 1);
      lane_.MbarrierInit(empty(s), kConsumers / 32);
    }
    lane_.MbarrierInit(ready(), 1);
    lane_.MbarrierInitFence();
  }

  /// Block j of the block's i-th tile.
  SAMEBITS_DEVICE void LoadWeights(int slot, int i, int j, uint64_t* barrier) {
    const int tile = lane_.BlockIndex() + i * lane_.GridBlocks();
    lane_.TensorLoad(ring(slot), &params_.down_map, kBlockK * j, kTileRows * tile, barrier);
  }
  /// The blocks of the first ring that belong to the first tile: one barrier counts them and h.
  SAMEBITS_DEVICE int early() const {
    return params_.down_blocks < params_.stages ? params_.down_blocks : params_.stages;
  }
  SAMEBITS_DEVICE void Produce() {
    // Until this grid has ended the next one only loads weights.
    lane_.GridLaunchDependents();
    if (tiles_ == 0) return;
    lane_.MbarrierArriveExpect(ready(),
                               early() * kWeightTileBytes + params_.down_blocks * kRowsBytes);
    RingPlace at;
    SAMEBITS_ROLLED
    for (int j = 0; j < early(); ++j, at.Advance(params_.stages)) {
      LoadWeights(j, 0, j, ready());
      lane_.MbarrierArrive(full(j));  // counts from the stage's second load on
    }
    LoadRows();
    SAMEBITS_ROLLED
    for (int i = 0; i < tiles_; ++i) {
      SAMEBITS_ROLLED
      for (int j = i == 0 ? early() : 0; j < params_.down_blocks; ++j, at.Advance(params_.stages)) {
        lane_.MbarrierWait(empty(at.slot), at.phase ^ 1);
        lane_.MbarrierArriveExpect(full(at.slot), kWeightTileBytes);
        LoadWeights(at.slot, i, j, full(at.slot));
      }
    }
  }
  /// h is the grid before's; weights are not.
  SAMEBITS_DEVICE void LoadRows() {
    lane_.GridDependencyWait();
    SAMEBITS_ROLLED
    for (int j = 0; j < params_.down_blocks; ++j) {
      lane_.TensorLoad(image(j), &params_.h_map, kBlockK * j, 0, ready());
    }
  }

  /// The parts that the gate half has summed, for the next one, while h is under way.
  SAMEBITS_DEVICE void EmptyParts() {
    const int step = lane_.GridBlocks() * kConsumers;
    SAMEBITS_ROLLED
    for (int i = lane_.BlockIndex() * kConsumers + lane_.ThreadIndex(); i < params_.part_chunks;
         i += step) {
      lane_.StoreRelaxed(params_.exchange.parts + i, {kEmpty, kEmpty, kEmpty, kEmpty});
    }
  }

  SAMEBITS_DEVICE void Consume() {
    const Ring weights{ring(0), full(0), empty(0), params_.stages};
    const Products<N, kWeightTileBytes, kRowsBytes, Lane> products(lane_, weights);
    const int blocks = params_.down_blocks;
    if constexpr (kDownEmpties<N>) EmptyParts();
    if (tiles_ > 0) lane_.MbarrierWait(ready(), 0);
    RingPlace at;
    SAMEBITS_ROLLED
    for (int i = 0; i < tiles_; ++i) {
      Fragment<N> d;
      products.Multiply(
          d, {0, i == 0 ? early() : 0, blocks, (tiles_ - i) * blocks - params_.stages}, &at,
          [&](int j, int) { return image(j); }, [](int) {});
      // Everybody has read the staged tile before.
      lane_.NamedBarrier(kConsumerBarrier, kConsumers);
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
