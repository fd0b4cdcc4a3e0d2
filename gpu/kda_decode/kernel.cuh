// The KdaWS decode kernel (SPEC.md): persistent, one block of 512 threads per multiprocessor.
// Threads 0..255 scan, two warpgroups of 128 prepare items in turn; sections 7.1 and 7.2.
#ifndef SAMEBITS_GPU_KDA_DECODE_KERNEL_CUH_
#define SAMEBITS_GPU_KDA_DECODE_KERNEL_CUH_

#include "gpu/kda_decode/block.cuh"
#include "gpu/kda_decode/prep.cuh"
#include "gpu/kda_decode/scan.cuh"

namespace samebits::gpu::kda_ws {

inline constexpr int kScanRegisters = 168;
inline constexpr int kPrepRegisters = 88;
static_assert((kScanRegisters * kScanThreads + kPrepRegisters * kPrepGroups * kPrepThreads) ==
              65536);

template <class Lane, int T>
SAMEBITS_DEVICE void InitBarriers(const Lane& lane, Shared<T> shared) {
  SAMEBITS_UNROLL
  for (int warp = 0; warp < kScanWarps; ++warp) lane.MbarrierInit(shared.state_full(warp), 1);
  lane.MbarrierInit(shared.weights_full(), 1);
  SAMEBITS_UNROLL
  for (int block = 0; block < kBlocks; ++block) {
    lane.MbarrierInit(shared.ops_full(block), kPrepThreads);
    lane.MbarrierInit(shared.done(block), kScanThreads);
  }
  SAMEBITS_UNROLL
  for (int group = 0; group < kPrepGroups; ++group) lane.MbarrierInit(shared.staged(group), 2);
  lane.MbarrierInitFence();
}

/// The weights of the block's first head, by the first prep warp.
template <class Lane, int T>
SAMEBITS_DEVICE void StartWeights(const Lane& lane, const Params& params, Shared<T> shared,
                                  ItemRange items, int thread) {
  const HeadWeights<Lane> weights(lane, params);
  if (thread / 32 != kScanWarps || items.count == 0 || !weights.resident()) return;
  weights.Start(items.first / params.requests, thread % 32, shared.weights_full());
}

/// One thread of the kernel. T: tokens per request, 1..8. kTaps: also writes Params::taps.
template <class Lane, int T, bool kTaps>
SAMEBITS_DEVICE void KdaDecode(const Lane& lane, const Params& params) {
  const Shared<T> shared{lane.shared()};
  const int thread = lane.ThreadIndex();
  if (thread == 0) InitBarriers(lane, shared);
  lane.BlockBarrier();
  const ItemRange items = RangeOfBlock(lane, params);
  // Weights are not what the grid before this one writes.
  StartWeights(lane, params, shared, items, thread);
  lane.GridDependencyWait();
  lane.GridLaunchDependents();
  if (thread >= kScanThreads) {
    lane.template RegistersDecrease<kPrepRegisters>();
    const int group = (thread - kScanThreads) / kPrepThreads;
    Prep<Lane, T, kTaps>(lane, params, shared, items, group, thread % kPrepThreads).Run();
  } else {
    lane.template RegistersIncrease<kScanRegisters>();
    Scan<Lane, T, kTaps>(lane, params, shared, items, thread).Run();
  }
}

}  // namespace samebits::gpu::kda_ws

#endif  // SAMEBITS_GPU_KDA_DECODE_KERNEL_CUH_
