// A shared_expert case whose ranks several CUDA devices share (placement.h): every rank pushes from
// its own device into the mailboxes of its peers on all of them.
#ifndef SAMEBITS_GPU_SHARED_EXPERT_MULTI_DEVICE_CASE_H_
#define SAMEBITS_GPU_SHARED_EXPERT_MULTI_DEVICE_CASE_H_

#include "gpu/device_kernel.h"

namespace samebits::gpu::shared_expert {

/// The kernels of CudaSharedExpert on devices of OpenCudaDevices (gpu/cuda/device_group.h). A
/// device runs its ranks one after the other (SPEC.md 7), all devices at once.
const RankedKernel& CudaSharedExpertRanks();

}  // namespace samebits::gpu::shared_expert

#endif  // SAMEBITS_GPU_SHARED_EXPERT_MULTI_DEVICE_CASE_H_
