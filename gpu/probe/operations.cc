#include "gpu/probe/operations.h"

#include <array>

namespace samebits::gpu::probe {
namespace {

using units::Instruction;

constexpr UnaryOperation Named(std::string_view name, Instruction instruction) {
  return {name, Of(instruction)};
}

// The bare SIN and COS of NVIDIA's unit cannot be written in PTX.
constexpr std::array kNvidia = {
    Named("ex2.approx.ftz.f32", Instruction::kEx2ApproxFtzF32),
    Named("ex2.approx.f32", Instruction::kEx2ApproxF32),
    Named("rcp.approx.ftz.f32", Instruction::kRcpApproxFtzF32),
    Named("rcp.approx.f32", Instruction::kRcpApproxF32),
    Named("rsqrt.approx.ftz.f32", Instruction::kRsqrtApproxFtzF32),
    Named("rsqrt.approx.f32", Instruction::kRsqrtApproxF32),
    Named("sqrt.approx.ftz.f32", Instruction::kSqrtApproxFtzF32),
    Named("sqrt.approx.f32", Instruction::kSqrtApproxF32),
    Named("lg2.approx.ftz.f32", Instruction::kLg2ApproxFtzF32),
    Named("lg2.approx.f32", Instruction::kLg2ApproxF32),
    Named("tanh.approx.f32", Instruction::kTanhApproxF32),
    Named("sin.approx.ftz.f32", Instruction::kSinApproxFtzF32),
    Named("sin.approx.f32", Instruction::kSinApproxF32),
    Named("cos.approx.ftz.f32", Instruction::kCosApproxFtzF32),
    Named("cos.approx.f32", Instruction::kCosApproxF32),
    UnaryOperation{"cvt.rn.bf16.f32", Unary::kToBf16},
    UnaryOperation{"tanh.approx.f16", Unary::kTanhF16, 16},
    UnaryOperation{"tanh.approx.bf16", Unary::kTanhBf16, 16},
    UnaryOperation{"ex2.approx.f16", Unary::kEx2F16, 16},
    UnaryOperation{"ex2.approx.ftz.bf16", Unary::kEx2FtzBf16, 16},
};

// Their functions have the unit's conventions: subnormals flushed, SIN and COS in turns.
constexpr std::array kAmd = {
    Named("v_exp_f32", Instruction::kEx2ApproxFtzF32),
    Named("v_rcp_f32", Instruction::kRcpApproxFtzF32),
    Named("v_rsq_f32", Instruction::kRsqrtApproxFtzF32),
    Named("v_sqrt_f32", Instruction::kSqrtApproxFtzF32),
    Named("v_log_f32", Instruction::kLg2ApproxFtzF32),
    Named("v_sin_f32", Instruction::kMufuSin),
    Named("v_cos_f32", Instruction::kMufuCos),
};

constexpr std::array kNvidiaScalar = {
    ScalarOperation{"div.full.f32", Scalar::kDivFull},
    ScalarOperation{"div.full.ftz.f32", Scalar::kDivFullFtz},
    ScalarOperation{"add.rn.f32", Scalar::kAdd},
    ScalarOperation{"add.rn.ftz.f32", Scalar::kAddFtz},
    ScalarOperation{"mul.rn.f32", Scalar::kMul},
    ScalarOperation{"mul.rn.ftz.f32", Scalar::kMulFtz},
    ScalarOperation{"fma.rn.f32", Scalar::kFma},
    ScalarOperation{"fma.rn.ftz.f32", Scalar::kFmaFtz},
};

constexpr std::array kAmdScalar = {
    ScalarOperation{"v_add_f32", Scalar::kAdd},
    ScalarOperation{"v_mul_f32", Scalar::kMul},
    ScalarOperation{"v_fma_f32", Scalar::kFma},
};

}  // namespace

std::span<const UnaryOperation> UnaryOperations(Vendor vendor) {
  if (vendor == Vendor::kAmd) return kAmd;
  return kNvidia;
}

std::span<const ScalarOperation> ScalarOperations(Vendor vendor) {
  if (vendor == Vendor::kAmd) return kAmdScalar;
  return kNvidiaScalar;
}

}  // namespace samebits::gpu::probe
