// The PTX instructions in terms of the unit's functions (special_functions.md, "PTX instructions";
// special_functions_more.md, "PTX expansions"). Multiplications and additions round to nearest even
// and keep subnormals.
#include <algorithm>
#include <array>

#include "model/units/special_functions.h"

namespace samebits::units {
namespace {

constexpr float kTiny = 0x1p-126f;  // magnitudes below and above these are scaled
constexpr float kHuge = 0x1p126f;
constexpr float kTurnsPerRadian = 0x1.45f306p-3f;  // 0x3E22F983

constexpr std::array<std::string_view, kInstructionCount> kNames = {"ex2.approx.ftz.f32",
                                                                    "ex2.approx.f32",
                                                                    "rcp.approx.ftz.f32",
                                                                    "rcp.approx.f32",
                                                                    "rsqrt.approx.ftz.f32",
                                                                    "rsqrt.approx.f32",
                                                                    "sqrt.approx.ftz.f32",
                                                                    "sqrt.approx.f32",
                                                                    "lg2.approx.ftz.f32",
                                                                    "lg2.approx.f32",
                                                                    "tanh.approx.f32",
                                                                    "sin.approx.ftz.f32",
                                                                    "sin.approx.f32",
                                                                    "cos.approx.ftz.f32",
                                                                    "cos.approx.f32",
                                                                    "mufu.sin",
                                                                    "mufu.cos"};

float ScaleOf(float b) {
  const float magnitude = std::fabs(b);
  return magnitude > kHuge ? 0.25f : magnitude < kTiny ? 0x1p24f : 1.0f;
}

bool IsTiny(float x) { return std::fabs(x) < kTiny; }

float Ex2Approx(const SpecialFunctionTables& tables, float x) {
  if (!(x < -126.0f)) return Ex2(tables, x);
  const float root = Ex2(tables, x * 0.5f);
  return arith::Mul(root, root);
}

float RcpApprox(const SpecialFunctionTables& tables, float x) {
  const float scale = ScaleOf(x);
  return arith::Mul(Rcp(tables, arith::Mul(x, scale)), scale);
}

float RsqrtApprox(const SpecialFunctionTables& tables, float x) {
  return IsTiny(x) ? arith::Mul(Rsq(tables, x * 0x1p24f), 0x1p12f) : Rsq(tables, x);
}

float SqrtApprox(const SpecialFunctionTables& tables, float x) {
  return IsTiny(x) ? arith::Mul(Sqrt(tables, x * 0x1p24f), 0x1p-12f) : Sqrt(tables, x);
}

float Lg2Approx(const SpecialFunctionTables& tables, float x) {
  return IsTiny(x) ? arith::Sub(Lg2(tables, x * 0x1p24f), 24.0f) : Lg2(tables, x);
}

/// x / (2 pi) truncated toward zero to 24 significant bits (FMUL.RZ).
float ToTurns(float x) {
  if (arith::IsNan(x)) return arith::FromBits(arith::kNanBits);
  const double exact = static_cast<double>(x) * kTurnsPerRadian;  // 48 bits: exact
  const float nearest = static_cast<float>(exact);
  return std::fabs(nearest) > std::fabs(exact) ? arith::FromBits(arith::ToBits(nearest) - 1u)
                                               : nearest;
}

}  // namespace

std::string_view Name(Instruction instruction) { return kNames[static_cast<size_t>(instruction)]; }

std::optional<Instruction> ParseInstruction(std::string_view name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<Instruction>(found - kNames.begin());
}

float Evaluate(const SpecialFunctionTables& tables, Instruction instruction, float x) {
  switch (instruction) {
    case Instruction::kEx2ApproxFtzF32:
      return Ex2(tables, x);
    case Instruction::kEx2ApproxF32:
      return Ex2Approx(tables, x);
    case Instruction::kRcpApproxFtzF32:
      return Rcp(tables, x);
    case Instruction::kRcpApproxF32:
      return RcpApprox(tables, x);
    case Instruction::kRsqrtApproxFtzF32:
      return Rsq(tables, x);
    case Instruction::kRsqrtApproxF32:
      return RsqrtApprox(tables, x);
    case Instruction::kSqrtApproxFtzF32:
      return Sqrt(tables, x);
    case Instruction::kSqrtApproxF32:
      return SqrtApprox(tables, x);
    case Instruction::kLg2ApproxFtzF32:
      return Lg2(tables, x);
    case Instruction::kLg2ApproxF32:
      return Lg2Approx(tables, x);
    case Instruction::kTanhApproxF32:
      return Tanh(tables, x);
    case Instruction::kSinApproxFtzF32:
    case Instruction::kSinApproxF32:
      return Sin(tables, ToTurns(x));
    case Instruction::kCosApproxFtzF32:
    case Instruction::kCosApproxF32:
      return Cos(tables, ToTurns(x));
    case Instruction::kMufuSin:
      return Sin(tables, x);
    case Instruction::kMufuCos:
      return Cos(tables, x);
  }
  return arith::FromBits(arith::kNanBits);  // not reached
}

float DivFull(const SpecialFunctionTables& tables, float a, float b) {
  const float scale = ScaleOf(b);
  return arith::Mul(arith::Mul(a, scale), Rcp(tables, arith::Mul(b, scale)));
}

float DivFullFtz(const SpecialFunctionTables& tables, float a, float b) {
  a = arith::FlushSubnormal(a);
  b = arith::FlushSubnormal(b);
  if (std::fabs(b) > kHuge) {
    a = arith::FlushSubnormal(arith::Mul(a, 0.25f));
    b = arith::FlushSubnormal(arith::Mul(b, 0.25f));
  }
  return arith::FlushSubnormal(arith::Mul(a, Rcp(tables, b)));
}

}  // namespace samebits::units
