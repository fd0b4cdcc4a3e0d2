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
  SAMEBITS_DEVICE void LoadWeights(int slot, int i, int j) {
    const int tile = lane_.BlockIndex() + i * lane_.GridBlocks();
    lane_.MbarrierArriveExpect(full(slot), kWeightTileBytes);
    lane_.TensorLoad(ring(slot), &params_.down_map, kBlockK * j, kTileRows * tile, full(slot));
  }
  SAMEBITS_DEVICE void Produce() {
    // Until this grid has ended the next one only loads weights.
    lane_.GridLaunchDependents();
    RingPlace at;
    bool started = tiles_ == 0;
    SAMEBITS_ROLLED
    for (int i = 0; i < tiles_; ++i) {
      SAMEBITS_ROLLED
      for (int j = 0; j < params_.down_blocks; ++j, at.Advance(params_.stages)) {
        if (!started && at.phase == 1) {
          LoadRows();  // the ring is full
          started = true;
        }
        lane_.MbarrierWait(empty(at.slot), at.phase ^ 1);
        LoadWeights(at.slot, i, j);
      }
    }
    if (!started) LoadRows();
  }
  /// h is the grid before's; weights are not.
  SAMEBITS_DEVICE void LoadRows() {
    lane_.GridDependencyWait();
    lane_.MbarrierArriveExpect(ready(), params_.down_blocks * kRowsBytes);
    SAMEBITS_ROLLED
    for (int j = 0; j < params_.down_blocks; ++j) {
      lane_.TensorLoad(image(j), &params_.h_map, kBlockK * j, 0, ready());
    }
  }

  SAMEBITS_DEVICE void Consume() {
    if (tiles_ > 0) lane_.MbarrierWait(ready(), 0);
    RingPlace at;
    SAMEBITS_ROLLED
    for (int i = 0; i < tiles_; ++i) {
      Fragment<N> d;
      SAMEBITS_ROLLED
      for (int j = 0; j < params_.down_blocks; ++j, at.Advance(params_.stages)) {
        lane_.MbarrierWait(full(at.slot), at.phase);
        MultiplyBlock<N>(lane_, d, ring(at.slot), image(j), j != 0);
        lane_.template WgmmaWait<0>();
        if (lane_.ThreadIndex() % 32 == 0) lane_.MbarrierArrive(empty(at.slot));
      }
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
