// SharedDown on sm_100a (SPEC.md 3.3, 6.8): persistent blocks keep h in shared memory and stream
// every `blocks`-th 64-row tile into alternating accumulators.
#ifndef SAMEBITS_GPU_SHARED_EXPERT_BLACKWELL_DOWN_CUH_
#define SAMEBITS_GPU_SHARED_EXPERT_BLACKWELL_DOWN_CUH_

#include "gpu/shared_expert/blackwell_block.cuh"
#include "gpu/shared_expert/ring.cuh"

namespace samebits::gpu::shared_expert {

template <class Lane, int N, bool kTaps>
class BlackwellDown {
 public:
  SAMEBITS_DEVICE BlackwellDown(const Lane& lane, const Params& params)
      : lane_(lane), params_(params), base_(lane.shared()), at_(Layout(params)) {
    const int left = params.down_tiles - lane.BlockIndex();
    tiles_ = left <= 0 ? 0 : (left + lane.GridBlocks() - 1) / lane.GridBlocks();
  }

  SAMEBITS_DEVICE void Run() {
    const int warp = lane_.ThreadIndex() / 32;
    if (lane_.ThreadIndex() == 0) InitBarriers();
    if (warp < kProductWarp && params_.batch != N) ClearPadding();
    if (warp == kProductWarp) {
      lane_.TmemAllocate(slot(), 2 * kTmemColumns<N>);
      lane_.TmemRelinquish();
    }
    lane_.Tcgen05FenceBefore();
    lane_.BlockBarrier();
    lane_.Tcgen05FenceAfter();
    tmem_ = lane_.LoadShared(slot());
    lane_.GridDependencyWait();
    if (warp < kProductWarp) {
      Finish();
    } else if (warp == kProductWarp) {
      Multiply();
    } else if (lane_.ThreadIndex() % 32 == 0) {
      LoadWeights();
    }
    lane_.Tcgen05FenceBefore();
    lane_.BlockBarrier();
    if (warp == kProductWarp) lane_.TmemFree(tmem_, 2 * kTmemColumns<N>);
  }

 private:
  static constexpr int kProductWarp = kLoaders / 32;
  static constexpr int kRowsBytes = 128 * N;

  static SAMEBITS_DEVICE BlackwellDownLayout Layout(const Params& params) {
    BlackwellDownLayout at{};
    at.ring = params.down_blocks * kRowsBytes;
    at.staging = at.ring + params.stages * kWeightTileBytes;
    at.barriers = at.staging + N * kPushPitch * 4;
    at.slot = at.barriers + (2 * params.stages + 5) * 8;
    return at;
  }
  SAMEBITS_DEVICE std::byte* image(int j) const { return base_ + j * kRowsBytes; }
  SAMEBITS_DEVICE std::byte* ring(int slot) const {
    return base_ + at_.ring + slot * kWeightTileBytes;
  }
  SAMEBITS_DEVICE uint64_t* barrier(int i) const {
    return reinterpret_cast<uint64_t*>(base_ + at_.barriers) + i;
  }
  SAMEBITS_DEVICE uint64_t* full(int slot) const { return barrier(slot); }
  SAMEBITS_DEVICE uint64_t* empty(int slot) const { return barrier(params_.stages + slot); }
  SAMEBITS_DEVICE uint64_t* accumulator_full(int tile) const {
    return barrier(2 * params_.stages + tile % 2);
  }
  SAMEBITS_DEVICE uint64_t* accumulator_empty(int tile) const {
    return barrier(2 * params_.stages + 2 + tile % 2);
  }
  SAMEBITS_DEVICE uint64_t* ready() const { return barrier(2 * params_.stages + 4); }
  SAMEBITS_DEVICE uint32_t* slot() const { return reinterpret_cast<uint32_t*>(base_ + at_.slot); }
  SAMEBITS_DEVICE uint32_t accumulator(int tile) const {
    return tmem_ + static_cast<uint32_t>(tile % 2 * kTmemColumns<N>);
  }

  SAMEBITS_DEVICE void InitBarriers() {
    SAMEBITS_ROLLED
    for (int s = 0; s < params_.stages; ++s) {
      lane_.MbarrierInit(full(s), 1);
      lane_.MbarrierInit(empty(s), 1);
    }
    for (int i = 0; i < 2; ++i) {
      lane_.MbarrierInit(accumulator_full(i), 1);
      lane_.MbarrierInit(accumulator_empty(i), kLoaders);
    }
    lane_.MbarrierInit(ready(), kLoaders);
    lane_.MbarrierInitFence();
  }

  SAMEBITS_DEVICE void ClearPadding() {
    SAMEBITS_ROLLED
    for (int j = 0; j < params_.down_blocks; ++j) {
      ClearRowTile(lane_, image(j), params_.batch, N);
    }
    lane_.FenceProxyAsync();
  }

  /// Warps 0..3: the h image, then every tile's way out.
  SAMEBITS_DEVICE void Finish() {
    SAMEBITS_ROLLED
    for (int j = 0; j < params_.down_blocks; ++j) {
      LoadRowTile(lane_, image(j), params_.h, params_.hidden, kBlockK * j, params_.batch);
    }
    lane_.CopyAsyncArrive(ready());
    SAMEBITS_ROLLED
    for (int i = 0; i < tiles_; ++i) {
      float values[kTmemColumns<N>];
      lane_.MbarrierWait(accumulator_full(i), i / 2 % 2);
      lane_.Tcgen05FenceAfter();
      ReadAccumulator<N>(lane_, values, accumulator(i));
      lane_.MbarrierArrive(accumulator_empty(i));
      PushRows<N, kTaps>(lane_, params_, values, reinterpret_cast<float*>(base_ + at_.staging),
                         lane_.BlockIndex() + i * lane_.GridBlocks());
    }
  }

  /// Warp 4.
  SAMEBITS_DEVICE void Multiply() {
    const int total = tiles_ * params_.down_blocks;
    const bool issues = lane_.ElectOne();
    lane_.MbarrierWait(ready(), 0);
    lane_.FenceProxyAsync();
    RingPlace at;
    int number = 0;
    SAMEBITS_ROLLED
    for (int i = 0; i < tiles_; ++i) {
      if (i >= 2) lane_.MbarrierWait(accumulator_empty(i), (i / 2 - 1) % 2);
      SAMEBITS_ROLLED
      for (int j = 0; j < params_.down_blocks; ++j, ++number, at.Advance(params_.stages)) {
        lane_.MbarrierWait(full(at.slot), at.phase);
        lane_.Tcgen05FenceAfter();
        if (issues) {
          IssueBlock<N>(lane_, accumulator(i), ring(at.slot), image(j), j != 0);
          if (number + params_.stages < total) lane_.Tcgen05Commit(empty(at.slot));
          if (j == params_.down_blocks - 1) lane_.Tcgen05Commit(accumulator_full(i));
        }
        lane_.WarpBarrier();
      }
    }
  }

  /// One thread of warp 5.
  SAMEBITS_DEVICE void LoadWeights() {
    RingPlace at;
    SAMEBITS_ROLLED
    for (int i = 0; i < tiles_; ++i) {
      const int row = kTileRows * (lane_.BlockIndex() + i * lane_.GridBlocks());
      SAMEBITS_ROLLED
      for (int j = 0; j < params_.down_blocks; ++j, at.Advance(params_.stages)) {
        lane_.MbarrierWait(empty(at.slot), at.phase ^ 1);
        lane_.MbarrierArriveExpect(full(at.slot), kWeightTileBytes);
        lane_.TensorLoad(ring(at.slot), &params_.down_map, kBlockK * j, row, full(at.slot));
      }
    }
  }

  const Lane& lane_;
  const Params& params_;
  std::byte* base_;
  BlackwellDownLayout at_;
  int tiles_;
  uint32_t tmem_ = 0;
};

}  // namespace samebits::gpu::shared_expert

#endif  // SAMEBITS_GPU_SHARED_EXPERT_BLACKWELL_DOWN_CUH_
