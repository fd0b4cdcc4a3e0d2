// The kernels of one n for the executor, for the files in instantiations/.
#ifndef SAMEBITS_GPU_SHARED_EXPERT_INSTANTIATE_HOST_H_
#define SAMEBITS_GPU_SHARED_EXPERT_INSTANTIATE_HOST_H_

#include "gpu/lane/host.h"
#include "gpu/shared_expert/blackwell.cuh"
#include "gpu/shared_expert/blackwell_down.cuh"
#include "gpu/shared_expert/hopper.cuh"
#include "gpu/shared_expert/hopper_down.cuh"
#include "gpu/shared_expert/host_kernel.h"
#include "gpu/shared_expert/kernels.h"

namespace samebits::gpu::shared_expert {

template <class Kernel>
void RunHostKernel(const Params& params) {
  const HostLane lane;
  Kernel(lane, params).Run();
}

template <int N>
HostKernel HostHopperShared(bool taps) {
  return taps ? &RunHostKernel<HopperShared<HostLane, N, true>>
              : &RunHostKernel<HopperShared<HostLane, N, false>>;
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
