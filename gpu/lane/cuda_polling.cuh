// The lane interface on NVIDIA GPUs: data in global memory that carry their own flags.
#ifndef SAMEBITS_GPU_LANE_CUDA_POLLING_CUH_
#define SAMEBITS_GPU_LANE_CUDA_POLLING_CUH_

#include <cstdint>

#include "gpu/lane/annotate.h"
#include "gpu/lane/cuda_address.cuh"
#include "gpu/lane/types.h"

namespace samebits::gpu::cuda {

struct Polling {
  static SAMEBITS_DEVICE Word4 LoadRelaxed(const Word4* global) {
    Word4 value;
    asm volatile("ld.relaxed.gpu.global.v4.b32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
                 : "l"(GlobalAddress(global))
                 : "memory");
    return value;
  }
  static SAMEBITS_DEVICE void StoreRelaxed(Word4* global, Word4 value) {
    asm volatile(
        "st.relaxed.gpu.global.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(GlobalAddress(global)),
        "r"(value.x), "r"(value.y), "r"(value.z), "r"(value.w)
        : "memory");
  }
  static SAMEBITS_DEVICE Word2 LoadRelaxed(const Word2* global) {
    Word2 value;
    asm volatile("ld.relaxed.gpu.global.v2.b32 {%0, %1}, [%2];"
                 : "=r"(value.x), "=r"(value.y)
                 : "l"(GlobalAddress(global))
                 : "memory");
    return value;
  }
  static SAMEBITS_DEVICE uint32_t LoadRelaxed(const uint32_t* global) {
    uint32_t value;
    asm volatile("ld.relaxed.gpu.global.b32 %0, [%1];"
                 : "=r"(value)
                 : "l"(GlobalAddress(global))
                 : "memory");
    return value;
  }
  static SAMEBITS_DEVICE void StoreRelaxed(Word2* global, Word2 value) {
    asm volatile("st.relaxed.gpu.global.v2.b32 [%0], {%1, %2};" ::"l"(GlobalAddress(global)),
                 "r"(value.x), "r"(value.y)
                 : "memory");
  }
  static SAMEBITS_DEVICE void StoreRelaxed(uint32_t* global, uint32_t value) {
    asm volatile("st.relaxed.gpu.global.b32 [%0], %1;" ::"l"(GlobalAddress(global)), "r"(value)
                 : "memory");
  }
  static SAMEBITS_DEVICE void Trap() { asm volatile("trap;"); }
};

}  // namespace samebits::gpu::cuda

#endif  // SAMEBITS_GPU_LANE_CUDA_POLLING_CUH_
