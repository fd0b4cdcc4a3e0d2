// The lane interface on NVIDIA GPUs: the matrix unit of sm_100a (tcgen05) and its tensor memory.
#ifndef SAMEBITS_GPU_LANE_CUDA_TCGEN05_CUH_
#define SAMEBITS_GPU_LANE_CUDA_TCGEN05_CUH_

#include <cstdint>

#include "gpu/lane/annotate.h"
#include "gpu/lane/cuda_address.cuh"

namespace samebits::gpu::cuda {

#if !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM100_ALL)

struct Tcgen05 {
  static SAMEBITS_DEVICE void TmemAllocate(uint32_t* shared, int columns) {
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(
                     SharedAddress(shared)),
                 "r"(columns)
                 : "memory");
  }
  static SAMEBITS_DEVICE void TmemRelinquish() {
    asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;" ::: "memory");
  }
  static SAMEBITS_DEVICE void TmemFree(uint32_t tmem, int columns) {
    asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" ::"r"(tmem), "r"(columns)
                 : "memory");
  }

  static SAMEBITS_DEVICE uint64_t Tcgen05Descriptor(const void* shared) {
    constexpr uint64_t kLayout = uint64_t{2} << 61 | uint64_t{1} << 46 | uint64_t{64} << 32 |
                                 uint64_t{1} << 16;  // 128-byte swizzle, 1024 bytes per 8 rows
    return kLayout | SharedAddress(shared) >> 4;
  }
  static SAMEBITS_DEVICE void Tcgen05Mma(uint32_t d, uint64_t a, uint64_t b, uint32_t instruction,
                                         bool accumulate) {
    asm volatile(
        "{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %4, 0;\n\t"
        "tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p;\n\t}" ::"r"(d),
        "l"(a), "l"(b), "r"(instruction), "r"(static_cast<uint32_t>(accumulate))
        : "memory");
  }
  static SAMEBITS_DEVICE void Tcgen05Commit(uint64_t* barrier) {
    asm volatile(
        "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(
            SharedAddress(barrier))
        : "memory");
  }
  static SAMEBITS_DEVICE void Tcgen05FenceBefore() {
    asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
  }
  static SAMEBITS_DEVICE void Tcgen05FenceAfter() {
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
  }

  /// kColumns: 1, 2, 4 .. 128.
  template <int kColumns>
  static SAMEBITS_DEVICE void TmemLoad(float (&r)[kColumns], uint32_t tmem) {
    if constexpr (kColumns == 1) {
      asm volatile(
          "tcgen05.ld.sync.aligned.32x32b.x1.b32 {"
          "%0}, [%1];"
          : "=f"(r[0])
          : "r"(tmem)
          : "memory");
    } else if constexpr (kColumns == 2) {
      asm volatile(
          "tcgen05.ld.sync.aligned.32x32b.x2.b32 {"
          "%0, %1}, [%2];"
          : "=f"(r[0]), "=f"(r[1])
          : "r"(tmem)
          : "memory");
    } else if constexpr (kColumns == 4) {
      asm volatile(
          "tcgen05.ld.sync.aligned.32x32b.x4.b32 {"
          "%0, %1, %2, %3}, [%4];"
          : "=f"(r[0]), "=f"(r[1]), "=f"(r[2]), "=f"(r[3])
          : "r"(tmem)
          : "memory");
    } else if constexpr (kColumns == 8) {
      asm volatile(
          "tcgen05.ld.sync.aligned.32x32b.x8.b32 {"
          "%0, %1, %2, %3, %4, %5, %6, %7}, [%8];"
          : "=f"(r[0]), "=f"(r[1]), "=f"(r[2]), "=f"(r[3]), "=f"(r[4]), "=f"(r[5]), "=f"(r[6]),
            "=f"(r[7])
          : "r"(tmem)
          : "memory");
    } else if constexpr (kColumns == 16) {
      asm volatile(
          "tcgen05.ld.sync.aligned.32x32b.x16.b32 {"
          "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}, [%16];"
          : "=f"(r[0]), "=f"(r[1]), "=f"(r[2]), "=f"(r[3]), "=f"(r[4]), "=f"(r[5]), "=f"(r[6]),
            "=f"(r[7]), "=f"(r[8]), "=f"(r[9]), "=f"(r[10]), "=f"(r[11]), "=f"(r[12]), "=f"(r[13]),
            "=f"(r[14]), "=f"(r[15])
          : "r"(tmem)
          : "memory");
    } else if constexpr (kColumns == 32) {
      asm volatile(
          "tcgen05.ld.sync.aligned.32x32b.x32.b32 {"
          "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, "
          "%19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, [%32];"
          : "=f"(r[0]), "=f"(r[1]), "=f"(r[2]), "=f"(r[3]), "=f"(r[4]), "=f"(r[5]), "=f"(r[6]),
            "=f"(r[7]), "=f"(r[8]), "=f"(r[9]), "=f"(r[10]), "=f"(r[11]), "=f"(r[12]), "=f"(r[13]),
            "=f"(r[14]), "=f"(r[15]), "=f"(r[16]), "=f"(r[17]), "=f"(r[18]), "=f"(r[19]),
            "=f"(r[20]), "=f"(r[21]), "=f"(r[22]), "=f"(r[23]), "=f"(r[24]), "=f"(r[25]),
            "=f"(r[26]), "=f"(r[27]), "=f"(r[28]), "=f"(r[29]), "=f"(r[30]), "=f"(r[31])
          : "r"(tmem)
          : "memory");
    } else if constexpr (kColumns == 64) {
      asm volatile(
          "tcgen05.ld.sync.aligned.32x32b.x64.b32 {"
          "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, "
          "%19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, "
          "%36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, "
          "%53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, [%64];"
          : "=f"(r[0]), "=f"(r[1]), "=f"(r[2]), "=f"(r[3]), "=f"(r[4]), "=f"(r[5]), "=f"(r[6]),
            "=f"(r[7]), "=f"(r[8]), "=f"(r[9]), "=f"(r[10]), "=f"(r[11]), "=f"(r[12]), "=f"(r[13]),
            "=f"(r[14]), "=f"(r[15]), "=f"(r[16]), "=f"(r[17]), "=f"(r[18]), "=f"(r[19]),
            "=f"(r[20]), "=f"(r[21]), "=f"(r[22]), "=f"(r[23]), "=f"(r[24]), "=f"(r[25]),
            "=f"(r[26]), "=f"(r[27]), "=f"(r[28]), "=f"(r[29]), "=f"(r[30]), "=f"(r[31]),
            "=f"(r[32]), "=f"(r[33]), "=f"(r[34]), "=f"(r[35]), "=f"(r[36]), "=f"(r[37]),
            "=f"(r[38]), "=f"(r[39]), "=f"(r[40]), "=f"(r[41]), "=f"(r[42]), "=f"(r[43]),
            "=f"(r[44]), "=f"(r[45]), "=f"(r[46]), "=f"(r[47]), "=f"(r[48]), "=f"(r[49]),
            "=f"(r[50]), "=f"(r[51]), "=f"(r[52]), "=f"(r[53]), "=f"(r[54]), "=f"(r[55]),
            "=f"(r[56]), "=f"(r[57]), "=f"(r[58]), "=f"(r[59]), "=f"(r[60]), "=f"(r[61]),
            "=f"(r[62]), "=f"(r[63])
          : "r"(tmem)
          : "memory");
    } else if constexpr (kColumns == 128) {
      asm volatile(
          "tcgen05.ld.sync.aligned.32x32b.x128.b32 {"
          "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, "
          "%19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, "
          "%36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, "
          "%53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, %64, %65, %66, %67, %68, %69, "
          "%70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84, %85, %86, "
          "%87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, %98, %99, %100, %101, %102, "
          "%103, %104, %105, %106, %107, %108, %109, %110, %111, %112, %113, %114, %115, %116, "
          "%117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127}, [%128];"
          : "=f"(r[0]), "=f"(r[1]), "=f"(r[2]), "=f"(r[3]), "=f"(r[4]), "=f"(r[5]), "=f"(r[6]),
            "=f"(r[7]), "=f"(r[8]), "=f"(r[9]), "=f"(r[10]), "=f"(r[11]), "=f"(r[12]), "=f"(r[13]),
            "=f"(r[14]), "=f"(r[15]), "=f"(r[16]), "=f"(r[17]), "=f"(r[18]), "=f"(r[19]),
            "=f"(r[20]), "=f"(r[21]), "=f"(r[22]), "=f"(r[23]), "=f"(r[24]), "=f"(r[25]),
            "=f"(r[26]), "=f"(r[27]), "=f"(r[28]), "=f"(r[29]), "=f"(r[30]), "=f"(r[31]),
            "=f"(r[32]), "=f"(r[33]), "=f"(r[34]), "=f"(r[35]), "=f"(r[36]), "=f"(r[37]),
            "=f"(r[38]), "=f"(r[39]), "=f"(r[40]), "=f"(r[41]), "=f"(r[42]), "=f"(r[43]),
            "=f"(r[44]), "=f"(r[45]), "=f"(r[46]), "=f"(r[47]), "=f"(r[48]), "=f"(r[49]),
            "=f"(r[50]), "=f"(r[51]), "=f"(r[52]), "=f"(r[53]), "=f"(r[54]), "=f"(r[55]),
            "=f"(r[56]), "=f"(r[57]), "=f"(r[58]), "=f"(r[59]), "=f"(r[60]), "=f"(r[61]),
            "=f"(r[62]), "=f"(r[63]), "=f"(r[64]), "=f"(r[65]), "=f"(r[66]), "=f"(r[67]),
            "=f"(r[68]), "=f"(r[69]), "=f"(r[70]), "=f"(r[71]), "=f"(r[72]), "=f"(r[73]),
            "=f"(r[74]), "=f"(r[75]), "=f"(r[76]), "=f"(r[77]), "=f"(r[78]), "=f"(r[79]),
            "=f"(r[80]), "=f"(r[81]), "=f"(r[82]), "=f"(r[83]), "=f"(r[84]), "=f"(r[85]),
            "=f"(r[86]), "=f"(r[87]), "=f"(r[88]), "=f"(r[89]), "=f"(r[90]), "=f"(r[91]),
            "=f"(r[92]), "=f"(r[93]), "=f"(r[94]), "=f"(r[95]), "=f"(r[96]), "=f"(r[97]),
            "=f"(r[98]), "=f"(r[99]), "=f"(r[100]), "=f"(r[101]), "=f"(r[102]), "=f"(r[103]),
            "=f"(r[104]), "=f"(r[105]), "=f"(r[106]), "=f"(r[107]), "=f"(r[108]), "=f"(r[109]),
            "=f"(r[110]), "=f"(r[111]), "=f"(r[112]), "=f"(r[113]), "=f"(r[114]), "=f"(r[115]),
            "=f"(r[116]), "=f"(r[117]), "=f"(r[118]), "=f"(r[119]), "=f"(r[120]), "=f"(r[121]),
            "=f"(r[122]), "=f"(r[123]), "=f"(r[124]), "=f"(r[125]), "=f"(r[126]), "=f"(r[127])
          : "r"(tmem)
          : "memory");
    } else {
      static_assert(kColumns < 0, "columns of a load: a power of two up to 128");
    }
  }
  static SAMEBITS_DEVICE void TmemLoadWait() {
    asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
  }
};

#else

/// Kernels for the matrix unit compile for every architecture, and trap where it is absent.
struct Tcgen05 {
  static SAMEBITS_DEVICE void TmemAllocate(uint32_t*, int) { Absent(); }
  static SAMEBITS_DEVICE void TmemRelinquish() { Absent(); }
  static SAMEBITS_DEVICE void TmemFree(uint32_t, int) { Absent(); }
  static SAMEBITS_DEVICE uint64_t Tcgen05Descriptor(const void*) { return 0; }
  static SAMEBITS_DEVICE void Tcgen05Mma(uint32_t, uint64_t, uint64_t, uint32_t, bool) { Absent(); }
  static SAMEBITS_DEVICE void Tcgen05Commit(uint64_t*) { Absent(); }
  static SAMEBITS_DEVICE void Tcgen05FenceBefore() { Absent(); }
  static SAMEBITS_DEVICE void Tcgen05FenceAfter() { Absent(); }
  template <int kColumns>
  static SAMEBITS_DEVICE void TmemLoad(float (&)[kColumns], uint32_t) {
    Absent();
  }
  static SAMEBITS_DEVICE void TmemLoadWait() { Absent(); }
};

#endif

}  // namespace samebits::gpu::cuda

#endif  // SAMEBITS_GPU_LANE_CUDA_TCGEN05_CUH_
