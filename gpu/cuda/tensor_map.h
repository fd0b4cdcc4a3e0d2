// Tensor maps for the kernels of this build, made by the driver.
#ifndef SAMEBITS_GPU_CUDA_TENSOR_MAP_H_
#define SAMEBITS_GPU_CUDA_TENSOR_MAP_H_

#include "gpu/lane/tensor_map.h"

namespace samebits::gpu {

/// bf16, zeros outside the matrix, promoted to 256 bytes in the L2 cache. `base` is an address on
/// the current device. Throws EnvironmentError: a wrong description, no driver, or its refusal.
TensorMap EncodeCudaTensorMap(const TensorDescription& description);

}  // namespace samebits::gpu

#endif  // SAMEBITS_GPU_CUDA_TENSOR_MAP_H_
