// Errors of the CUDA runtime as exceptions.
#ifndef SAMEBITS_GPU_CUDA_CHECK_H_
#define SAMEBITS_GPU_CUDA_CHECK_H_

#include <cuda_runtime_api.h>

#include <string>

#include "gpu/device_kernel.h"

namespace samebits::gpu {

/// Throws EnvironmentError: "CUDA: WHAT: out of memory (cudaErrorMemoryAllocation)".
inline void CheckCuda(cudaError_t error, const std::string& what) {
  if (error == cudaSuccess) return;
  cudaGetLastError();  // clears it
  throw EnvironmentError("CUDA: " + what + ": " + cudaGetErrorString(error) + " (" +
                         cudaGetErrorName(error) + ")");
}

}  // namespace samebits::gpu

#endif  // SAMEBITS_GPU_CUDA_CHECK_H_
