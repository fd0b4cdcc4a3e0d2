// The CUDA kernels of one token count, for the files in instantiations/.
#ifndef SAMEBITS_GPU_KDA_DECODE_INSTANTIATE_CUH_
#define SAMEBITS_GPU_KDA_DECODE_INSTANTIATE_CUH_

#include "gpu/kda_decode/kernel.cuh"
#include "gpu/kda_decode/kernels.h"
#include "gpu/lane/cuda.cuh"

namespace samebits::gpu::kda_ws {

template <int T, bool kTaps>
__global__ void __launch_bounds__(kThreads, 1)
    KdaDecodeKernel(const __grid_constant__ Params params) {
  KdaDecode<CudaLane, T, kTaps>(CudaLane{}, params);
}

template <int T>
const void* KernelOf(bool taps) {
  return taps ? reinterpret_cast<const void*>(&KdaDecodeKernel<T, true>)
              : reinterpret_cast<const void*>(&KdaDecodeKernel<T, false>);
}

}  // namespace samebits::gpu::kda_ws

#endif  // SAMEBITS_GPU_KDA_DECODE_INSTANTIATE_CUH_
