// The KdaWS decode kernel (SPEC.md): persistent, one block of 512 threads per multiprocessor.
// Threads 0..255 scan, two warpgroups of 128 prepare; sections 7.1 and 7.2.
#ifndef SAMEBITS_GPU_KDA_DECODE_KERNEL_CUH_
#define SAMEBITS_GPU_KDA_DECODE_KERNEL_CUH_

#include "gpu/kda_decode/block.cuh"
#include "gpu/kda_decode/convolve_group.cuh"
#include "gpu/kda_decode/gate_group.cuh"
#include "gpu/kda_decode/scan.cuh"

namespace samebits::gpu::kda_ws {

inline constexpr int kScanRegisters = 168;
inline constexpr int kPrepRegisters = 88;
static_assert((kScanRegisters * kScanThreads + kPrepRegisters * kPrepGroups * kPrepThreads) ==
              65536);

template <class Lane, int T>
SAMEBITS_DEVICE void InitBarriers(const Lane& lane, const Params& params, Shared<T> shared) {
  SAMEBITS_UNROLL
  for (int warp = 0; warp < kScanWarps; ++warp) lane.MbarrierInit(shared.state_full(warp), 1);
  SAMEBITS_UNROLL
  for (int block = 0; block < kBlocks; ++block) {
    lane.MbarrierInit(shared.ops_full(block), kPrepGroups * kPrepThreads);
    lane.MbarrierInit(shared.done(block), kScanThreads);
    lane.MbarrierInit(shared.released(block), kPrepThreads);
  }
  SAMEBITS_UNROLL
  for (int stage = 0; stage < kStages; ++stage) {
    lane.MbarrierInit(shared.staged(kConvolveGroup, stage), kPrepThreads + params.conv_dim_first);
    lane.MbarrierInit(shared.staged(kGateGroup, stage), kPrepThreads);
  }
  SAMEBITS_UNROLL
  for (int group = 0; group < kPrepGroups; ++group) {
    lane.MbarrierInit(shared.weights_full(group), kPrepThreads);
  }
  lane.MbarrierInit(shared.first_rows(), kPrepGroups);
  lane.MbarrierInitFence();
}

/// One thread of the kernel. T: tokens per request, 1..8. kTaps: also writes Params::taps. Each
/// role waits for the grid before this one; weights and slots, which that grid does not write, are
/// read earlier.
template <class Lane, int T, bool kTaps>
SAMEBITS_DEVICE void KdaDecode(const Lane& lane, const Params& params) {
  const Shared<T> shared{lane.shared()};
  const int thread = lane.ThreadIndex();
  if (thread == 0) InitBarriers(lane, params, shared);
  lane.BlockBarrier();
  const ItemRange items = RangeOfBlock(lane, params);
  if (items.count == 0) return;
  if (thread >= kScanThreads + kPrepThreads) {
    lane.template RegistersDecrease<kPrepRegisters>();
    GateGroup<Lane, T, kTaps>(lane, params, shared, items, thread % kPrepThreads).Run();
  } else if (thread >= kScanThreads) {
    lane.template RegistersDecrease<kPrepRegisters>();
    ConvolveGroup<Lane, T, kTaps>(lane, params, shared, items, thread % kPrepThreads).Run();
  } else {
    lane.template RegistersIncrease<kScanRegisters>();
    Scan<Lane, T, kTaps>(lane, params, shared, items, thread).Run();
  }
}

}  // namespace samebits::gpu::kda_ws

#endif  // SAMEBITS_GPU_KDA_DECODE_KERNEL_CUH_
