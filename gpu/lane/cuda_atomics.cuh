// The lane interface on NVIDIA GPUs: global memory that other blocks and other GPUs look at, and
// waiting for them.
#ifndef SAMEBITS_GPU_LANE_CUDA_ATOMICS_CUH_
#define SAMEBITS_GPU_LANE_CUDA_ATOMICS_CUH_

#include <cstdint>

#include "gpu/lane/annotate.h"
#include "gpu/lane/cuda_address.cuh"
#include "gpu/lane/types.h"

namespace samebits::gpu::cuda {

struct Atomics {
  template <Order kOrder, Scope kScope = Scope::kGpu>
  static SAMEBITS_DEVICE uint32_t AtomicLoad(const uint32_t* global) {
    static_assert(kOrder == Order::kRelaxed || kOrder == Order::kAcquire);
    uint32_t value;
    if constexpr (kScope == Scope::kGpu && kOrder == Order::kRelaxed) {
      asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];"
                   : "=r"(value)
                   : "l"(GlobalAddress(global))
                   : "memory");
    } else if constexpr (kScope == Scope::kGpu) {
      asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                   : "=r"(value)
                   : "l"(GlobalAddress(global))
                   : "memory");
    } else if constexpr (kOrder == Order::kRelaxed) {
      asm volatile("ld.relaxed.sys.global.u32 %0, [%1];"
                   : "=r"(value)
                   : "l"(GlobalAddress(global))
                   : "memory");
    } else {
      asm volatile("ld.acquire.sys.global.u32 %0, [%1];"
                   : "=r"(value)
                   : "l"(GlobalAddress(global))
                   : "memory");
    }
    return value;
  }

  template <Order kOrder, Scope kScope = Scope::kGpu>
  static SAMEBITS_DEVICE void AtomicStore(uint32_t* global, uint32_t value) {
    static_assert(kOrder == Order::kRelaxed || kOrder == Order::kRelease);
    if constexpr (kScope == Scope::kGpu && kOrder == Order::kRelaxed) {
      asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(GlobalAddress(global)), "r"(value)
                   : "memory");
    } else if constexpr (kScope == Scope::kGpu) {
      asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(GlobalAddress(global)), "r"(value)
                   : "memory");
    } else if constexpr (kOrder == Order::kRelaxed) {
      asm volatile("st.relaxed.sys.global.u32 [%0], %1;" ::"l"(GlobalAddress(global)), "r"(value)
                   : "memory");
    } else {
      asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(GlobalAddress(global)), "r"(value)
                   : "memory");
    }
  }

  /// At gpu scope.
  template <Order kOrder>
  static SAMEBITS_DEVICE uint32_t AtomicAdd(uint32_t* global, uint32_t value) {
    uint32_t old;
    if constexpr (kOrder == Order::kRelaxed) {
      asm volatile("atom.relaxed.gpu.global.add.u32 %0, [%1], %2;"
                   : "=r"(old)
                   : "l"(GlobalAddress(global)), "r"(value)
                   : "memory");
    } else if constexpr (kOrder == Order::kAcquire) {
      asm volatile("atom.acquire.gpu.global.add.u32 %0, [%1], %2;"
                   : "=r"(old)
                   : "l"(GlobalAddress(global)), "r"(value)
                   : "memory");
    } else if constexpr (kOrder == Order::kRelease) {
      asm volatile("atom.release.gpu.global.add.u32 %0, [%1], %2;"
                   : "=r"(old)
                   : "l"(GlobalAddress(global)), "r"(value)
                   : "memory");
    } else {
      asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], %2;"
                   : "=r"(old)
                   : "l"(GlobalAddress(global)), "r"(value)
                   : "memory");
    }
    return old;
  }

  template <Scope kScope = Scope::kGpu>
  static SAMEBITS_DEVICE void FenceAcquireRelease() {
    if constexpr (kScope == Scope::kGpu) {
      asm volatile("fence.acq_rel.gpu;" ::: "memory");
    } else {
      asm volatile("fence.acq_rel.sys;" ::: "memory");
    }
  }
  static SAMEBITS_DEVICE void FenceProxyAsyncGlobal() {
    asm volatile("fence.proxy.async.global;" ::: "memory");
  }

  static SAMEBITS_DEVICE void StoreSystem(Word4* global, Word4 value) {
    asm volatile(
        "st.relaxed.sys.global.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(GlobalAddress(global)),
        "r"(value.x), "r"(value.y), "r"(value.z), "r"(value.w)
        : "memory");
  }
  static SAMEBITS_DEVICE void StoreSystem(Word2* global, Word2 value) {
    asm volatile("st.relaxed.sys.global.v2.b32 [%0], {%1, %2};" ::"l"(GlobalAddress(global)),
                 "r"(value.x), "r"(value.y)
                 : "memory");
  }
  static SAMEBITS_DEVICE void StoreSystem(uint32_t* global, uint32_t value) {
    asm volatile("st.relaxed.sys.global.b32 [%0], %1;" ::"l"(GlobalAddress(global)), "r"(value)
                 : "memory");
  }
  static SAMEBITS_DEVICE void StoreMulticast(const Multicast& to, int64_t offset, Word4 value) {
    asm volatile("multimem.st.relaxed.sys.global.v4.bf16x2 [%0], {%1, %2, %3, %4};" ::"l"(
                     GlobalAddress(to.address + offset)),
                 "r"(value.x), "r"(value.y), "r"(value.z), "r"(value.w)
                 : "memory");
  }
  static SAMEBITS_DEVICE void StoreMulticast(const Multicast& to, int64_t offset, Word2 value) {
    asm volatile("multimem.st.relaxed.sys.global.v2.bf16x2 [%0], {%1, %2};" ::"l"(
                     GlobalAddress(to.address + offset)),
                 "r"(value.x), "r"(value.y)
                 : "memory");
  }

  static SAMEBITS_DEVICE void Sleep(uint32_t nanoseconds) {
    asm volatile("nanosleep.u32 %0;" ::"r"(nanoseconds));
  }
  static SAMEBITS_DEVICE uint64_t Nanoseconds() {
    uint64_t time;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
    return time;
  }
};

}  // namespace samebits::gpu::cuda

#endif  // SAMEBITS_GPU_LANE_CUDA_ATOMICS_CUH_
