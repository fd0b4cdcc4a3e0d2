// The lane interface on NVIDIA GPUs: the asynchronous matrix unit of sm_90a (wgmma).
#ifndef SAMEBITS_GPU_LANE_CUDA_WGMMA_CUH_
#define SAMEBITS_GPU_LANE_CUDA_WGMMA_CUH_

#include <cstdint>

#include "gpu/lane/annotate.h"
#include "gpu/lane/cuda_address.cuh"

namespace samebits::gpu::cuda {

#if !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)

// An instruction of N columns names N / 2 registers, in its text and as operands: lists of 4, 8,
// 12 .. 128, each the one before and four more. No other construct of the language makes them.

#define SAMEBITS_R0 "%0, %1, %2, %3"
#define SAMEBITS_R1 SAMEBITS_R0 ", %4, %5, %6, %7"
#define SAMEBITS_R2 SAMEBITS_R1 ", %8, %9, %10, %11"
#define SAMEBITS_R3 SAMEBITS_R2 ", %12, %13, %14, %15"
#define SAMEBITS_R4 SAMEBITS_R3 ", %16, %17, %18, %19"
#define SAMEBITS_R5 SAMEBITS_R4 ", %20, %21, %22, %23"
#define SAMEBITS_R6 SAMEBITS_R5 ", %24, %25, %26, %27"
#define SAMEBITS_R7 SAMEBITS_R6 ", %28, %29, %30, %31"
#define SAMEBITS_R8 SAMEBITS_R7 ", %32, %33, %34, %35"
#define SAMEBITS_R9 SAMEBITS_R8 ", %36, %37, %38, %39"
#define SAMEBITS_R10 SAMEBITS_R9 ", %40, %41, %42, %43"
#define SAMEBITS_R11 SAMEBITS_R10 ", %44, %45, %46, %47"
#define SAMEBITS_R12 SAMEBITS_R11 ", %48, %49, %50, %51"
#define SAMEBITS_R13 SAMEBITS_R12 ", %52, %53, %54, %55"
#define SAMEBITS_R14 SAMEBITS_R13 ", %56, %57, %58, %59"
#define SAMEBITS_R15 SAMEBITS_R14 ", %60, %61, %62, %63"
#define SAMEBITS_R16 SAMEBITS_R15 ", %64, %65, %66, %67"
#define SAMEBITS_R17 SAMEBITS_R16 ", %68, %69, %70, %71"
#define SAMEBITS_R18 SAMEBITS_R17 ", %72, %73, %74, %75"
#define SAMEBITS_R19 SAMEBITS_R18 ", %76, %77, %78, %79"
#define SAMEBITS_R20 SAMEBITS_R19 ", %80, %81, %82, %83"
#define SAMEBITS_R21 SAMEBITS_R20 ", %84, %85, %86, %87"
#define SAMEBITS_R22 SAMEBITS_R21 ", %88, %89, %90, %91"
#define SAMEBITS_R23 SAMEBITS_R22 ", %92, %93, %94, %95"
#define SAMEBITS_R24 SAMEBITS_R23 ", %96, %97, %98, %99"
#define SAMEBITS_R25 SAMEBITS_R24 ", %100, %101, %102, %103"
#define SAMEBITS_R26 SAMEBITS_R25 ", %104, %105, %106, %107"
#define SAMEBITS_R27 SAMEBITS_R26 ", %108, %109, %110, %111"
#define SAMEBITS_R28 SAMEBITS_R27 ", %112, %113, %114, %115"
#define SAMEBITS_R29 SAMEBITS_R28 ", %116, %117, %118, %119"
#define SAMEBITS_R30 SAMEBITS_R29 ", %120, %121, %122, %123"
#define SAMEBITS_R31 SAMEBITS_R30 ", %124, %125, %126, %127"
#define SAMEBITS_D0 "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
#define SAMEBITS_D1 SAMEBITS_D0, "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7])
#define SAMEBITS_D2 SAMEBITS_D1, "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11])
#define SAMEBITS_D3 SAMEBITS_D2, "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15])
#define SAMEBITS_D4 SAMEBITS_D3, "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19])
#define SAMEBITS_D5 SAMEBITS_D4, "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23])
#define SAMEBITS_D6 SAMEBITS_D5, "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27])
#define SAMEBITS_D7 SAMEBITS_D6, "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
#define SAMEBITS_D8 SAMEBITS_D7, "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35])
#define SAMEBITS_D9 SAMEBITS_D8, "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39])
#define SAMEBITS_D10 SAMEBITS_D9, "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), "+f"(d[43])
#define SAMEBITS_D11 SAMEBITS_D10, "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47])
#define SAMEBITS_D12 SAMEBITS_D11, "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51])
#define SAMEBITS_D13 SAMEBITS_D12, "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55])
#define SAMEBITS_D14 SAMEBITS_D13, "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59])
#define SAMEBITS_D15 SAMEBITS_D14, "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63])
#define SAMEBITS_D16 SAMEBITS_D15, "+f"(d[64]), "+f"(d[65]), "+f"(d[66]), "+f"(d[67])
#define SAMEBITS_D17 SAMEBITS_D16, "+f"(d[68]), "+f"(d[69]), "+f"(d[70]), "+f"(d[71])
#define SAMEBITS_D18 SAMEBITS_D17, "+f"(d[72]), "+f"(d[73]), "+f"(d[74]), "+f"(d[75])
#define SAMEBITS_D19 SAMEBITS_D18, "+f"(d[76]), "+f"(d[77]), "+f"(d[78]), "+f"(d[79])
#define SAMEBITS_D20 SAMEBITS_D19, "+f"(d[80]), "+f"(d[81]), "+f"(d[82]), "+f"(d[83])
#define SAMEBITS_D21 SAMEBITS_D20, "+f"(d[84]), "+f"(d[85]), "+f"(d[86]), "+f"(d[87])
#define SAMEBITS_D22 SAMEBITS_D21, "+f"(d[88]), "+f"(d[89]), "+f"(d[90]), "+f"(d[91])
#define SAMEBITS_D23 SAMEBITS_D22, "+f"(d[92]), "+f"(d[93]), "+f"(d[94]), "+f"(d[95])
#define SAMEBITS_D24 SAMEBITS_D23, "+f"(d[96]), "+f"(d[97]), "+f"(d[98]), "+f"(d[99])
#define SAMEBITS_D25 SAMEBITS_D24, "+f"(d[100]), "+f"(d[101]), "+f"(d[102]), "+f"(d[103])
#define SAMEBITS_D26 SAMEBITS_D25, "+f"(d[104]), "+f"(d[105]), "+f"(d[106]), "+f"(d[107])
#define SAMEBITS_D27 SAMEBITS_D26, "+f"(d[108]), "+f"(d[109]), "+f"(d[110]), "+f"(d[111])
#define SAMEBITS_D28 SAMEBITS_D27, "+f"(d[112]), "+f"(d[113]), "+f"(d[114]), "+f"(d[115])
#define SAMEBITS_D29 SAMEBITS_D28, "+f"(d[116]), "+f"(d[117]), "+f"(d[118]), "+f"(d[119])
#define SAMEBITS_D30 SAMEBITS_D29, "+f"(d[120]), "+f"(d[121]), "+f"(d[122]), "+f"(d[123])
#define SAMEBITS_D31 SAMEBITS_D30, "+f"(d[124]), "+f"(d[125]), "+f"(d[126]), "+f"(d[127])
// The operands behind those registers: the numbers of A's, one or four, then of B's and of the
// predicate's.
#define SAMEBITS_WGMMA(n, i, a_text, b_number, scale_number, transpose, ...)                \
  if constexpr (kN == n) {                                                                  \
    asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %" #scale_number                     \
                 ", 0;\n\t"                                                                 \
                 "wgmma.mma_async.sync.aligned.m64n" #n "k16.f32.bf16.bf16 {" SAMEBITS_R##i \
                 "}, " a_text ", %" #b_number ", p, 1, 1, " transpose ";\n\t}"              \
                 : SAMEBITS_D##i                                                            \
                 : __VA_ARGS__, "l"(b), "r"(static_cast<uint32_t>(accumulate)));            \
  }
#define SAMEBITS_WGMMA_OF_TILES(n, i, n0, n1, n2, n3, n4, n5) \
  SAMEBITS_WGMMA(n, i, "%" #n0, n1, n2, "0, 0", "l"(a))
#define SAMEBITS_WGMMA_OF_REGISTERS(n, i, n0, n1, n2, n3, n4, n5)                          \
  SAMEBITS_WGMMA(n, i, "{%" #n0 ", %" #n1 ", %" #n2 ", %" #n3 "}", n4, n5, "0", "r"(a[0]), \
                 "r"(a[1]), "r"(a[2]), "r"(a[3]))
#define SAMEBITS_WGMMA_OF_EVERY_WIDTH(FORM)   \
  FORM(8, 0, 4, 5, 6, 7, 8, 9)                \
  FORM(16, 1, 8, 9, 10, 11, 12, 13)           \
  FORM(24, 2, 12, 13, 14, 15, 16, 17)         \
  FORM(32, 3, 16, 17, 18, 19, 20, 21)         \
  FORM(40, 4, 20, 21, 22, 23, 24, 25)         \
  FORM(48, 5, 24, 25, 26, 27, 28, 29)         \
  FORM(56, 6, 28, 29, 30, 31, 32, 33)         \
  FORM(64, 7, 32, 33, 34, 35, 36, 37)         \
  FORM(72, 8, 36, 37, 38, 39, 40, 41)         \
  FORM(80, 9, 40, 41, 42, 43, 44, 45)         \
  FORM(88, 10, 44, 45, 46, 47, 48, 49)        \
  FORM(96, 11, 48, 49, 50, 51, 52, 53)        \
  FORM(104, 12, 52, 53, 54, 55, 56, 57)       \
  FORM(112, 13, 56, 57, 58, 59, 60, 61)       \
  FORM(120, 14, 60, 61, 62, 63, 64, 65)       \
  FORM(128, 15, 64, 65, 66, 67, 68, 69)       \
  FORM(136, 16, 68, 69, 70, 71, 72, 73)       \
  FORM(144, 17, 72, 73, 74, 75, 76, 77)       \
  FORM(152, 18, 76, 77, 78, 79, 80, 81)       \
  FORM(160, 19, 80, 81, 82, 83, 84, 85)       \
  FORM(168, 20, 84, 85, 86, 87, 88, 89)       \
  FORM(176, 21, 88, 89, 90, 91, 92, 93)       \
  FORM(184, 22, 92, 93, 94, 95, 96, 97)       \
  FORM(192, 23, 96, 97, 98, 99, 100, 101)     \
  FORM(200, 24, 100, 101, 102, 103, 104, 105) \
  FORM(208, 25, 104, 105, 106, 107, 108, 109) \
  FORM(216, 26, 108, 109, 110, 111, 112, 113) \
  FORM(224, 27, 112, 113, 114, 115, 116, 117) \
  FORM(232, 28, 116, 117, 118, 119, 120, 121) \
  FORM(240, 29, 120, 121, 122, 123, 124, 125) \
  FORM(248, 30, 124, 125, 126, 127, 128, 129) \
  FORM(256, 31, 128, 129, 130, 131, 132, 133)

struct WarpgroupMma {
  static SAMEBITS_DEVICE uint64_t WgmmaDescriptor(const void* shared) {
    constexpr uint64_t kLayout = uint64_t{1} << 62 | uint64_t{64} << 32 |
                                 uint64_t{1} << 16;  // 128-byte swizzle, 1024 bytes per 8 rows
    return kLayout | (SharedAddress(shared) & 0x3FFFF) >> 4;
  }
  static SAMEBITS_DEVICE void WgmmaFence() {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  }
  template <int kCount>
  static SAMEBITS_DEVICE void WgmmaKeep(float (&d)[kCount]) {
    SAMEBITS_UNROLL
    for (int i = 0; i < kCount; ++i) asm volatile("" : "+f"(d[i])::"memory");
  }
  static SAMEBITS_DEVICE void WgmmaCommit() {
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  }
  template <int kPending>
  static SAMEBITS_DEVICE void WgmmaWait() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kPending) : "memory");
  }
  /// kN: 8, 16 .. 256.
  template <int kN>
  static SAMEBITS_DEVICE void Wgmma(float (&d)[kN / 2], uint64_t a, uint64_t b, bool accumulate) {
    static_assert(kN % 8 == 0 && kN >= 8 && kN <= 256);
    SAMEBITS_WGMMA_OF_EVERY_WIDTH(SAMEBITS_WGMMA_OF_TILES)
  }
  template <int kN>
  static SAMEBITS_DEVICE void Wgmma(float (&d)[kN / 2], const uint32_t (&a)[4], uint64_t b,
                                    bool accumulate) {
    static_assert(kN % 8 == 0 && kN >= 8 && kN <= 256);
    SAMEBITS_WGMMA_OF_EVERY_WIDTH(SAMEBITS_WGMMA_OF_REGISTERS)
  }
};

#undef SAMEBITS_R0
#undef SAMEBITS_D0
#undef SAMEBITS_R1
#undef SAMEBITS_D1
#undef SAMEBITS_R2
#undef SAMEBITS_D2
#undef SAMEBITS_R3
#undef SAMEBITS_D3
#undef SAMEBITS_R4
#undef SAMEBITS_D4
#undef SAMEBITS_R5
#undef SAMEBITS_D5
#undef SAMEBITS_R6
#undef SAMEBITS_D6
#undef SAMEBITS_R7
#undef SAMEBITS_D7
#undef SAMEBITS_R8
#undef SAMEBITS_D8
#undef SAMEBITS_R9
#undef SAMEBITS_D9
#undef SAMEBITS_R10
#undef SAMEBITS_D10
#undef SAMEBITS_R11
#undef SAMEBITS_D11
#undef SAMEBITS_R12
#undef SAMEBITS_D12
#undef SAMEBITS_R13
#undef SAMEBITS_D13
#undef SAMEBITS_R14
#undef SAMEBITS_D14
#undef SAMEBITS_R15
#undef SAMEBITS_D15
#undef SAMEBITS_R16
#undef SAMEBITS_D16
#undef SAMEBITS_R17
#undef SAMEBITS_D17
#undef SAMEBITS_R18
#undef SAMEBITS_D18
#undef SAMEBITS_R19
#undef SAMEBITS_D19
#undef SAMEBITS_R20
#undef SAMEBITS_D20
#undef SAMEBITS_R21
#undef SAMEBITS_D21
#undef SAMEBITS_R22
#undef SAMEBITS_D22
#undef SAMEBITS_R23
#undef SAMEBITS_D23
#undef SAMEBITS_R24
#undef SAMEBITS_D24
#undef SAMEBITS_R25
#undef SAMEBITS_D25
#undef SAMEBITS_R26
#undef SAMEBITS_D26
#undef SAMEBITS_R27
#undef SAMEBITS_D27
#undef SAMEBITS_R28
#undef SAMEBITS_D28
#undef SAMEBITS_R29
#undef SAMEBITS_D29
#undef SAMEBITS_R30
#undef SAMEBITS_D30
#undef SAMEBITS_R31
#undef SAMEBITS_D31
#undef SAMEBITS_WGMMA
#undef SAMEBITS_WGMMA_OF_TILES
#undef SAMEBITS_WGMMA_OF_REGISTERS
#undef SAMEBITS_WGMMA_OF_EVERY_WIDTH

#else

/// Kernels for the matrix unit compile for every architecture, and trap where it is absent.
struct WarpgroupMma {
  static SAMEBITS_DEVICE uint64_t WgmmaDescriptor(const void*) { return 0; }
  static SAMEBITS_DEVICE void WgmmaFence() { Absent(); }
  template <int kCount>
  static SAMEBITS_DEVICE void WgmmaKeep(float (&)[kCount]) {}
  static SAMEBITS_DEVICE void WgmmaCommit() { Absent(); }
  template <int kPending>
  static SAMEBITS_DEVICE void WgmmaWait() {
    Absent();
  }
  template <int kN>
  static SAMEBITS_DEVICE void Wgmma(float (&)[kN / 2], uint64_t, uint64_t, bool) {
    Absent();
  }
  template <int kN>
  static SAMEBITS_DEVICE void Wgmma(float (&)[kN / 2], const uint32_t (&)[4], uint64_t, bool) {
    Absent();
  }
};

#endif

}  // namespace samebits::gpu::cuda

#endif  // SAMEBITS_GPU_LANE_CUDA_WGMMA_CUH_
