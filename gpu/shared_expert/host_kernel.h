// The kernels' sources for the executor on the CPU: one GPU thread of a launch.
#ifndef SAMEBITS_GPU_SHARED_EXPERT_HOST_KERNEL_H_
#define SAMEBITS_GPU_SHARED_EXPERT_HOST_KERNEL_H_

#include "gpu/shared_expert/consumer.cuh"
#include "gpu/shared_expert/params.h"

namespace samebits::gpu::shared_expert {

/// Called once per GPU thread, inside simt::Launch.
using HostKernel = void (*)(const Params& params);

/// The kernels of one n. Explicit instantiations in instantiations/.
template <int N>
HostKernel HostHopperFused(bool taps);
template <int N>
HostKernel HostHopperGate(bool taps);
template <int N>
HostKernel HostHopperDown(bool taps);
template <int N>
HostKernel HostBlackwellShared(bool taps);
/// nullptr for more tokens than FRONT takes (C2).
template <int N>
HostKernel HostBlackwellFront(bool taps);
template <int N>
HostKernel HostBlackwellDown(bool taps);
void HostConsumer(const ConsumerParams& params);

}  // namespace samebits::gpu::shared_expert

#endif  // SAMEBITS_GPU_SHARED_EXPERT_HOST_KERNEL_H_
