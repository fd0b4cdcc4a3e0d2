// The probe kernels for AMD GPUs: names that a host finds in the code object.
#include "gpu/probe/kernels.cuh"
#include "gpu/probe/lane_hip.h"

#define SAMEBITS_KERNEL(threads)                \
  extern "C" __attribute__((global)) void       \
      __attribute__((amdgpu_flat_work_group_size(threads, threads)))

namespace samebits::gpu::probe {

#define SAMEBITS_UNARY(name, instruction)                                                       \
  SAMEBITS_KERNEL(256) fingerprint_##name(const uint16_t* blocks, uint64_t* sums) {             \
    FingerprintBlock<Of(units::Instruction::instruction)>(HipProbeLane(), blocks, sums);        \
  }                                                                                             \
  SAMEBITS_KERNEL(256) evaluate_##name(const uint32_t* x, uint32_t* y, int n) {                 \
    EvaluateUnary<Of(units::Instruction::instruction)>(HipProbeLane(), x, y, n);                \
  }

SAMEBITS_UNARY(v_exp_f32, kEx2ApproxFtzF32)
SAMEBITS_UNARY(v_rcp_f32, kRcpApproxFtzF32)
SAMEBITS_UNARY(v_rsq_f32, kRsqrtApproxFtzF32)
SAMEBITS_UNARY(v_sqrt_f32, kSqrtApproxFtzF32)
SAMEBITS_UNARY(v_log_f32, kLg2ApproxFtzF32)
SAMEBITS_UNARY(v_sin_f32, kMufuSin)
SAMEBITS_UNARY(v_cos_f32, kMufuCos)

#define SAMEBITS_SCALAR(name, operation)                                                        \
  SAMEBITS_KERNEL(256) evaluate_##name(const float* a, const float* b, const float* c,          \
                                       uint32_t* y, int n) {                                    \
    EvaluateScalar<Scalar::operation>(HipProbeLane(), a, b, c, y, n);                           \
  }

SAMEBITS_SCALAR(v_add_f32, kAdd)
SAMEBITS_SCALAR(v_mul_f32, kMul)
SAMEBITS_SCALAR(v_fma_f32, kFma)

#define SAMEBITS_MFMA(name, m, k)                                                               \
  SAMEBITS_KERNEL(64) name(const uint16_t* a, const uint16_t* b, const float* c, float* d) {    \
    MfmaTile<m, k>(HipProbeLane(), a, b, c, d);                                                 \
  }

SAMEBITS_MFMA(mfma_16x16x16, 16, 16)
SAMEBITS_MFMA(mfma_32x32x8, 32, 8)
#ifdef __gfx950__
SAMEBITS_MFMA(mfma_16x16x32, 16, 32)
#endif

}  // namespace samebits::gpu::probe
