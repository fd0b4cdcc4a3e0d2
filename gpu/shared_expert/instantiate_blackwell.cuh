// The sm_100a kernels of one n, for the files in instantiations/.
#ifndef SAMEBITS_GPU_SHARED_EXPERT_INSTANTIATE_BLACKWELL_CUH_
#define SAMEBITS_GPU_SHARED_EXPERT_INSTANTIATE_BLACKWELL_CUH_

#include "gpu/lane/cuda.cuh"
#include "gpu/shared_expert/blackwell.cuh"
#include "gpu/shared_expert/blackwell_down.cuh"
#include "gpu/shared_expert/kernels.h"

namespace samebits::gpu::shared_expert {

template <int N, bool kFront, bool kTaps>
__global__ void __launch_bounds__(kBlackwellThreads, 1)
    BlackwellSharedKernel(const __grid_constant__ Params params) {
  BlackwellShared<CudaLane, N, kFront, kTaps>(CudaLane{}, params).Run();
}
template <int N, bool kTaps>
__global__ void __launch_bounds__(kBlackwellDownThreads, 1)
    BlackwellDownKernel(const __grid_constant__ Params params) {
  BlackwellDown<CudaLane, N, kTaps>(CudaLane{}, params).Run();
}

template <int N>
const void* BlackwellSharedKernelOf(bool taps) {
  return taps ? reinterpret_cast<const void*>(&BlackwellSharedKernel<N, false, true>)
              : reinterpret_cast<const void*>(&BlackwellSharedKernel<N, false, false>);
}
template <int N>
const void* BlackwellFrontKernelOf(bool taps) {
  if constexpr (N <= kMaxFrontTokens) {
    return taps ? reinterpret_cast<const void*>(&BlackwellSharedKernel<N, true, true>)
                : reinterpret_cast<const void*>(&BlackwellSharedKernel<N, true, false>);
  }
  return nullptr;
}
template <int N>
const void* BlackwellDownKernelOf(bool taps) {
  return taps ? reinterpret_cast<const void*>(&BlackwellDownKernel<N, true>)
              : reinterpret_cast<const void*>(&BlackwellDownKernel<N, false>);
}

}  // namespace samebits::gpu::shared_expert

#endif  // SAMEBITS_GPU_SHARED_EXPERT_INSTANTIATE_BLACKWELL_CUH_
