// The kernel's source for the executor on the CPU: one GPU thread of a launch.
#ifndef SAMEBITS_GPU_KDA_PRE_HOST_KERNEL_H_
#define SAMEBITS_GPU_KDA_PRE_HOST_KERNEL_H_

#include "gpu/kda_pre/kernel.h"
#include "gpu/kda_pre/params.h"
#include "gpu/lane/host_amd.h"

namespace samebits::gpu::kda_pre {

/// Called once per GPU thread, inside simt::Launch.
using HostKernel = void (*)(const Params& params);

template <class Lane, int L, bool kTaps>
void RunHostKernel(const Params& params) {
  KdaPre<Lane, L, Form::kExact, kTaps>(Lane(), params);
}

/// The kernel for L tokens on gfx942 or gfx950. One explicit instantiation per file in
/// instantiations/.
template <int L>
HostKernel HostKernelOf(const AmdTarget& target, bool taps) {
  if (target.mfma_k == kGfx950.mfma_k) {
    return taps ? &RunHostKernel<HostAmdLane<kGfx950>, L, true>
                : &RunHostKernel<HostAmdLane<kGfx950>, L, false>;
  }
  return taps ? &RunHostKernel<HostAmdLane<kGfx942>, L, true>
              : &RunHostKernel<HostAmdLane<kGfx942>, L, false>;
}

}  // namespace samebits::gpu::kda_pre

#endif  // SAMEBITS_GPU_KDA_PRE_HOST_KERNEL_H_
