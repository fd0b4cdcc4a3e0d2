// The kernel's source for the executor on the CPU: one GPU thread of a launch.
#ifndef SAMEBITS_GPU_KDA_DECODE_HOST_KERNEL_H_
#define SAMEBITS_GPU_KDA_DECODE_HOST_KERNEL_H_

#include "gpu/kda_decode/kernel.cuh"
#include "gpu/kda_decode/params.h"
#include "gpu/lane/host.h"

namespace samebits::gpu::kda_ws {

/// Called once per GPU thread, inside simt::Launch.
using HostKernel = void (*)(const Params& params);

template <class Lane, int T, bool kTaps>
void RunHostKernel(const Params& params) {
  KdaDecode<Lane, T, kTaps>(Lane(), params);
}

/// The kernel for T tokens. One explicit instantiation per file in instantiations/.
template <int T>
HostKernel HostKernelOf(bool taps) {
  return taps ? &RunHostKernel<HostLane, T, true> : &RunHostKernel<HostLane, T, false>;
}

}  // namespace samebits::gpu::kda_ws

#endif  // SAMEBITS_GPU_KDA_DECODE_HOST_KERNEL_H_
