// Addresses of the state spaces that PTX names.
#ifndef SAMEBITS_GPU_LANE_CUDA_ADDRESS_CUH_
#define SAMEBITS_GPU_LANE_CUDA_ADDRESS_CUH_

#include <cstdint>

#include "gpu/lane/annotate.h"

namespace samebits::gpu::cuda {

SAMEBITS_DEVICE uint32_t SharedAddress(const void* shared) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(shared));
}
SAMEBITS_DEVICE uint64_t GlobalAddress(const void* global) {
  return static_cast<uint64_t>(__cvta_generic_to_global(global));
}

/// For an operation that the architecture being compiled does not have.
SAMEBITS_DEVICE void Absent() { asm volatile("trap;"); }

}  // namespace samebits::gpu::cuda

#endif  // SAMEBITS_GPU_LANE_CUDA_ADDRESS_CUH_
