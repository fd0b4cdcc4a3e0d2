// The sm_90a kernels of one n, for the files in instantiations/.
#ifndef SAMEBITS_GPU_SHARED_EXPERT_INSTANTIATE_HOPPER_CUH_
#define SAMEBITS_GPU_SHARED_EXPERT_INSTANTIATE_HOPPER_CUH_

#include "gpu/lane/cuda.cuh"
#include "gpu/shared_expert/hopper_down.cuh"
#include "gpu/shared_expert/hopper_fused.cuh"
#include "gpu/shared_expert/hopper_gate.cuh"
#include "gpu/shared_expert/kernels.h"

namespace samebits::gpu::shared_expert {

template <int N, bool kTaps>
__global__ void __launch_bounds__(kHalfThreads, 2)
    HopperFusedKernel(const __grid_constant__ Params params) {
  HopperFused<CudaLane, N, kTaps>(CudaLane{}, params).Run();
}
template <int N, bool kTaps>
__global__ void __launch_bounds__(kHalfThreads, 2)
    HopperGateKernel(const __grid_constant__ Params params) {
  HopperGate<CudaLane, N, kTaps>(CudaLane{}, params).Run();
}
template <int N, bool kTaps>
__global__ void __launch_bounds__(kHalfThreads, 2)
    HopperDownKernel(const __grid_constant__ Params params) {
  HopperDown<CudaLane, N, kTaps>(CudaLane{}, params).Run();
}

template <int N>
const void* HopperFusedKernelOf(bool taps) {
  return taps ? reinterpret_cast<const void*>(&HopperFusedKernel<N, true>)
              : reinterpret_cast<const void*>(&HopperFusedKernel<N, false>);
}
template <int N>
const void* HopperGateKernelOf(bool taps) {
  return taps ? reinterpret_cast<const void*>(&HopperGateKernel<N, true>)
              : reinterpret_cast<const void*>(&HopperGateKernel<N, false>);
}
template <int N>
const void* HopperDownKernelOf(bool taps) {
  return taps ? reinterpret_cast<const void*>(&HopperDownKernel<N, true>)
              : reinterpret_cast<const void*>(&HopperDownKernel<N, false>);
}

}  // namespace samebits::gpu::shared_expert

#endif  // SAMEBITS_GPU_SHARED_EXPERT_INSTANTIATE_HOPPER_CUH_
