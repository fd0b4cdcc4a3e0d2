// The CUDA lane with the operations of the probes.
#ifndef SAMEBITS_GPU_PROBE_LANE_CUDA_CUH_
#define SAMEBITS_GPU_PROBE_LANE_CUDA_CUH_

#include "gpu/lane/cuda.cuh"
#include "gpu/probe/operations.h"

namespace samebits::gpu::probe {

struct CudaProbeLane : CudaLane {
  template <Unary kOperation>
  static SAMEBITS_DEVICE uint32_t Apply(uint32_t x) {
    if constexpr (kOperation <= Unary::kLastInstruction) {
      return __float_as_uint(Special<static_cast<units::Instruction>(kOperation)>(FromBits(x)));
    } else if constexpr (kOperation == Unary::kToBf16) {
      return ToBf16(FromBits(x));
    } else {
      return Half<kOperation>(static_cast<uint16_t>(x));
    }
  }

  template <Scalar kOperation>
  static SAMEBITS_DEVICE uint32_t Apply(float a, float b, float c) {
    float y;
    if constexpr (kOperation == Scalar::kDivFull) {
      asm("div.full.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b));
    } else if constexpr (kOperation == Scalar::kDivFullFtz) {
      asm("div.full.ftz.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b));
    } else if constexpr (kOperation == Scalar::kAdd) {
      asm("add.rn.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b));
    } else if constexpr (kOperation == Scalar::kAddFtz) {
      asm("add.rn.ftz.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b));
    } else if constexpr (kOperation == Scalar::kMul) {
      asm("mul.rn.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b));
    } else if constexpr (kOperation == Scalar::kMulFtz) {
      asm("mul.rn.ftz.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b));
    } else if constexpr (kOperation == Scalar::kFma) {
      asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(y) : "f"(a), "f"(b), "f"(c));
    } else {
      asm("fma.rn.ftz.f32 %0, %1, %2, %3;" : "=f"(y) : "f"(a), "f"(b), "f"(c));
    }
    return __float_as_uint(y);
  }

  /// One m64n8k16 of operands in shared memory, laid out by WgmmaOffset (kernels.cuh).
  static SAMEBITS_DEVICE void WgmmaBf16(float (&d)[4], const uint16_t* a, const uint16_t* b) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, "
        "0, 0;"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "l"(Descriptor(a)), "l"(Descriptor(b)));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])::"memory");
#else
    __trap();
#endif
  }

 private:
  /// Without swizzle: 128 bytes to the next matrix along k, 256 to the next along the rows.
  static SAMEBITS_DEVICE uint64_t Descriptor(const void* shared) {
    const uint64_t address = __cvta_generic_to_shared(shared);
    return (address & 0x3FFFF) >> 4 | uint64_t{128 >> 4} << 16 | uint64_t{256 >> 4} << 32;
  }

  template <units::Instruction kInstruction>
  static SAMEBITS_DEVICE float Special(float x) {
    using units::Instruction;
    float y = 0.0f;
    if constexpr (kInstruction == Instruction::kEx2ApproxFtzF32) {
      asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    } else if constexpr (kInstruction == Instruction::kEx2ApproxF32) {
      asm("ex2.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
    } else if constexpr (kInstruction == Instruction::kRcpApproxFtzF32) {
      asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    } else if constexpr (kInstruction == Instruction::kRcpApproxF32) {
      asm("rcp.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
    } else if constexpr (kInstruction == Instruction::kRsqrtApproxFtzF32) {
      asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    } else if constexpr (kInstruction == Instruction::kRsqrtApproxF32) {
      asm("rsqrt.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
    } else if constexpr (kInstruction == Instruction::kSqrtApproxFtzF32) {
      asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    } else if constexpr (kInstruction == Instruction::kSqrtApproxF32) {
      asm("sqrt.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
    } else if constexpr (kInstruction == Instruction::kLg2ApproxFtzF32) {
      asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    } else if constexpr (kInstruction == Instruction::kLg2ApproxF32) {
      asm("lg2.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
    } else if constexpr (kInstruction == Instruction::kTanhApproxF32) {
      asm("tanh.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
    } else if constexpr (kInstruction == Instruction::kSinApproxFtzF32) {
      asm("sin.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    } else if constexpr (kInstruction == Instruction::kSinApproxF32) {
      asm("sin.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
    } else if constexpr (kInstruction == Instruction::kCosApproxFtzF32) {
      asm("cos.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    } else if constexpr (kInstruction == Instruction::kCosApproxF32) {
      asm("cos.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
    }
    return y;
  }

  template <Unary kOperation>
  static SAMEBITS_DEVICE uint32_t Half(uint16_t x) {
    uint16_t y;
    if constexpr (kOperation == Unary::kTanhF16) {
      asm("tanh.approx.f16 %0, %1;" : "=h"(y) : "h"(x));
    } else if constexpr (kOperation == Unary::kTanhBf16) {
      asm("tanh.approx.bf16 %0, %1;" : "=h"(y) : "h"(x));
    } else if constexpr (kOperation == Unary::kEx2F16) {
      asm("ex2.approx.f16 %0, %1;" : "=h"(y) : "h"(x));
    } else {
      asm("ex2.approx.ftz.bf16 %0, %1;" : "=h"(y) : "h"(x));
    }
    return y;
  }
};

}  // namespace samebits::gpu::probe

#endif  // SAMEBITS_GPU_PROBE_LANE_CUDA_CUH_
