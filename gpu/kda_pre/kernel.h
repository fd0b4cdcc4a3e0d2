// The kda_pre kernel (K1, SPEC.md): one launch of 256 blocks of 512 threads, all resident. Blocks
// 0..55 make x, the others multiply it by in_proj, then all of them take KDA tasks. Blocks hand on
// values as tagged messages (6.1): nothing is zeroed between steps.
#ifndef SAMEBITS_GPU_KDA_PRE_KERNEL_H_
#define SAMEBITS_GPU_KDA_PRE_KERNEL_H_

#include "gpu/kda_pre/projection.h"
#include "gpu/kda_pre/seam.h"
#include "gpu/kda_pre/task.h"

namespace samebits::gpu::kda_pre {

/// The tag of a launch: 1..2^30, never 0.
SAMEBITS_DEVICE uint32_t LaunchTag(int32_t epoch, int32_t layer) {
  return (static_cast<uint32_t>(epoch) % (1u << 22)) * samebits::kda_pre::kTagSlots +
         static_cast<uint32_t>(layer) + 1;
}

/// One thread of the kernel. L: tokens per request. kTaps: also writes Params::taps.
template <class Lane, int L, Form kForm, bool kTaps>
SAMEBITS_DEVICE void KdaPre(const Lane& lane, const Params& params) {
  const int epoch = lane.Uniform(lane.LoadGlobal(params.epoch));
  const Role<Lane, kForm> role(lane, params, LaunchTag(epoch, params.layer));
  if (role.block < kSlices) {
    Seam<Lane, kForm, kTaps>(role).Run();
  } else {
    Projection<Lane, kForm, kTaps>(role).Run();
  }
  const int tasks = params.requests * kTasksPerRequest;
  const int first = (role.block - params.first_task_block + kBlocks) % kBlocks;
  SAMEBITS_ROLLED
  for (int task = first; task < tasks; task += kBlocks) {
    Task<Lane, L, kForm, kTaps>(role, task).Run();
  }
}

}  // namespace samebits::gpu::kda_pre

#endif  // SAMEBITS_GPU_KDA_PRE_KERNEL_H_
