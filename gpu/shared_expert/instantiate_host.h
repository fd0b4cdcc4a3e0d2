// The kernels of one n for the executor, for the files in instantiations/.
#ifndef SAMEBITS_GPU_SHARED_EXPERT_INSTANTIATE_HOST_H_
#define SAMEBITS_GPU_SHARED_EXPERT_INSTANTIATE_HOST_H_

#include "gpu/lane/host.h"
#include "gpu/shared_expert/blackwell.cuh"
#include "gpu/shared_expert/blackwell_down.cuh"
#include "gpu/shared_expert/hopper_down.cuh"
#include "gpu/shared_expert/hopper_fused.cuh"
#include "gpu/shared_expert/hopper_gate.cuh"
#include "gpu/shared_expert/host_kernel.h"
#include "gpu/shared_expert/kernels.h"

namespace samebits::gpu::shared_expert {

template <class Kernel>
void RunHostKernel(const Params& params) {
  const HostLane lane;
  Kernel(lane, params).Run();
}

template <int N>
HostKernel HostHopperFused(bool taps) {
  return taps ? &RunHostKernel<HopperFused<HostLane, N, true>>
              : &RunHostKernel<HopperFused<HostLane, N, false>>;
}
template <int N>
HostKernel HostHopperGate(bool taps) {
  return taps ? &RunHostKernel<HopperGate<HostLane, N, true>>
              : &RunHostKernel<HopperGate<HostLane, N, false>>;
}
template <int N>
HostKernel HostHopperDown(bool taps) {
  return taps ? &RunHostKernel<HopperDown<HostLane, N, true>>
              : &RunHostKernel<HopperDown<HostLane, N, false>>;
}
template <int N>
HostKernel HostBlackwellShared(bool taps) {
  return taps ? &RunHostKernel<BlackwellShared<HostLane, N, false, true>>
              : &RunHostKernel<BlackwellShared<HostLane, N, false, false>>;
}
template <int N>
HostKernel HostBlackwellFront(bool taps) {
  if constexpr (N <= kMaxFrontTokens) {
    return taps ? &RunHostKernel<BlackwellShared<HostLane, N, true, true>>
                : &RunHostKernel<BlackwellShared<HostLane, N, true, false>>;
  }
  return nullptr;
}
template <int N>
HostKernel HostBlackwellDown(bool taps) {
  return taps ? &RunHostKernel<BlackwellDown<HostLane, N, true>>
              : &RunHostKernel<BlackwellDown<HostLane, N, false>>;
}

}  // namespace samebits::gpu::shared_expert

#endif  // SAMEBITS_GPU_SHARED_EXPERT_INSTANTIATE_HOST_H_
