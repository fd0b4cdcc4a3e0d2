// The operations of one thread of an AMD GPU that the probes need. Freestanding: the compiler's
// builtins and no header of ROCm.
#ifndef SAMEBITS_GPU_PROBE_LANE_HIP_H_
#define SAMEBITS_GPU_PROBE_LANE_HIP_H_

#include <cstddef>
#include <cstdint>

#include "gpu/lane/annotate.h"
#include "gpu/probe/operations.h"

namespace samebits::gpu::probe {

struct HipProbeLane {
  static SAMEBITS_DEVICE int ThreadIndex() {
    return static_cast<int>(__builtin_amdgcn_workitem_id_x());
  }
  static SAMEBITS_DEVICE int BlockIndex() {
    return static_cast<int>(__builtin_amdgcn_workgroup_id_x());
  }
  /// Enough for one fingerprint: 8 bytes of each of 256 threads.
  static SAMEBITS_DEVICE std::byte* shared() {
    static __attribute__((shared)) __attribute__((aligned(16))) std::byte memory[256 * 8];
    return memory;
  }
  static SAMEBITS_DEVICE void BlockBarrier() {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  }
  template <typename V>
  static SAMEBITS_DEVICE V LoadGlobal(const V* global) {
    return *global;
  }
  template <typename V>
  static SAMEBITS_DEVICE void StoreGlobal(V* global, V value) {
    *global = value;
  }
  template <typename V>
  static SAMEBITS_DEVICE V LoadShared(const V* shared) {
    return *shared;
  }
  template <typename V>
  static SAMEBITS_DEVICE void StoreShared(V* shared, V value) {
    *shared = value;
  }

  /// Each is one instruction: no range reduction, no scaling.
  template <Unary kOperation>
  static SAMEBITS_DEVICE uint32_t Apply(uint32_t bits) {
    const float x = __builtin_bit_cast(float, bits);
    float y;
    switch (static_cast<units::Instruction>(kOperation)) {
      case units::Instruction::kEx2ApproxFtzF32:
        y = __builtin_amdgcn_exp2f(x);
        break;
      case units::Instruction::kRcpApproxFtzF32:
        y = __builtin_amdgcn_rcpf(x);
        break;
      case units::Instruction::kRsqrtApproxFtzF32:
        y = __builtin_amdgcn_rsqf(x);
        break;
      case units::Instruction::kSqrtApproxFtzF32:
        y = __builtin_amdgcn_sqrtf(x);
        break;
      case units::Instruction::kLg2ApproxFtzF32:
        y = __builtin_amdgcn_logf(x);
        break;
      case units::Instruction::kMufuSin:
        y = __builtin_amdgcn_sinf(x);
        break;
      default:
        y = __builtin_amdgcn_cosf(x);
        break;
    }
    return __builtin_bit_cast(uint32_t, y);
  }
  template <Scalar kOperation>
  static SAMEBITS_DEVICE uint32_t Apply(float a, float b, float c) {
    const float y = kOperation == Scalar::kAdd   ? a + b
                    : kOperation == Scalar::kMul ? a * b
                                                 : __builtin_fmaf(a, b, c);
    return __builtin_bit_cast(uint32_t, y);
  }

  template <int kM, int kK>
  static SAMEBITS_DEVICE void MfmaBf16(float (&d)[kM * kM / 64], const uint32_t (&a)[kK * kM / 128],
                                       const uint32_t (&b)[kK * kM / 128]) {
    using Sum = float __attribute__((ext_vector_type(kM * kM / 64)));
    Sum sum;
    for (int i = 0; i < kM * kM / 64; ++i) sum[i] = d[i];
    if constexpr (kK == 32) {
#ifdef __gfx950__
      using Operand = __bf16 __attribute__((ext_vector_type(8)));
      sum = __builtin_amdgcn_mfma_f32_16x16x32_bf16(__builtin_bit_cast(Operand, a),
                                                    __builtin_bit_cast(Operand, b), sum, 0, 0, 0);
#endif
    } else {
      using Operand = short __attribute__((ext_vector_type(4)));
      const Operand x = __builtin_bit_cast(Operand, a), y = __builtin_bit_cast(Operand, b);
      if constexpr (kM == 16) {
        sum = __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(x, y, sum, 0, 0, 0);
      } else {
        sum = __builtin_amdgcn_mfma_f32_32x32x8bf16_1k(x, y, sum, 0, 0, 0);
      }
    }
    for (int i = 0; i < kM * kM / 64; ++i) d[i] = sum[i];
  }
};

}  // namespace samebits::gpu::probe

#endif  // SAMEBITS_GPU_PROBE_LANE_HIP_H_
