// The backend "cuda".
#ifndef SAMEBITS_GPU_CUDA_BACKEND_H_
#define SAMEBITS_GPU_CUDA_BACKEND_H_

#include "gpu/device_kernel.h"

namespace samebits::gpu {

/// nullptr in a build without nvcc.
const Backend* CudaBackend();

}  // namespace samebits::gpu

#endif  // SAMEBITS_GPU_CUDA_BACKEND_H_
