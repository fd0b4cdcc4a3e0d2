#include "model/kda_decode/math.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "model/arith/bfloat16.h"
#include "model/kda_decode/config.h"
#include "model/order/evaluate.h"
#include "model/profiles/special_functions_sm_90.h"

namespace samebits::kda_decode {
namespace {

using units::Instruction;

const float kLog2E = arith::FromBits(0x3FB8AA3Bu);
const float kLn2 = arith::FromBits(0x3F317218u);
constexpr float kSoftplusLinear = 20.0f;

/// The helper machine code of sm_100 is that of sm_90 (SPEC.md 3.0).
const units::SpecialFunctionTables& Tables(SpecialFunctions choice) {
  return choice == SpecialFunctions::kClosedForm ? profiles::Sm90SpecialFunctions()
                                                 : profiles::CorrectlyRoundedSpecialFunctions();
}

}  // namespace

Math::Math(const Choices& choices, Path path)
    : choices_(choices),
      tables_(Tables(choices.special_functions)),
      flushes_(choices.arithmetic == Arithmetic::kFtz),
      arrays_(path == Path::kFast),
      vectorised_(path == Path::kFast && !flushes_ && order::SimdSupported()) {}

float Math::SumProducts(const order::Tree& tree, In a, In b) const {
  return order::SumProducts(tree, a.data(), b.data(), 0.0f, subnormals());
}

void Math::SumColumns(const order::Tree& tree, const order::Columns& columns, Out out) const {
  if (vectorised_) {
    order::SumColumnsSimd(tree, columns, out.size(), out.data());
  } else {
    order::SumColumns(tree, columns, out.size(), out.data(), subnormals());
  }
}

void Math::Add(In a, In b, Out out) const {
  for (size_t i = 0; i < out.size(); ++i) out[i] = Add(a[i], b[i]);
}

void Math::Sub(In a, In b, Out out) const {
  for (size_t i = 0; i < out.size(); ++i) out[i] = Sub(a[i], b[i]);
}

void Math::Mul(In a, In b, Out out) const {
  for (size_t i = 0; i < out.size(); ++i) out[i] = Mul(a[i], b[i]);
}

void Math::Mul(In a, float b, Out out) const {
  for (size_t i = 0; i < out.size(); ++i) out[i] = Mul(a[i], b);
}

void Math::Evaluate(Instruction instruction, In x, Out out) const {
  if (arrays_) {
    units::EvaluateArray(tables_, instruction, x.data(), out.data(), out.size());
    return;
  }
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = units::Evaluate(tables_, instruction, x[i]);
  }
}

void Math::Exp(In x, Out out) const {
  if (choices_.exp == ExpForm::kExact) {
    // Rounded once from double: correctly rounded but for results within 2^-50 of a tie.
    for (size_t i = 0; i < out.size(); ++i) {
      out[i] = arith::Canonical(static_cast<float>(std::exp(static_cast<double>(x[i]))));
    }
    return;
  }
  Mul(x, kLog2E, out);
  Evaluate(
      choices_.exp == ExpForm::kEx2Ftz ? Instruction::kEx2ApproxFtzF32 : Instruction::kEx2ApproxF32,
      out, out);
}

void Math::Divide(Division division, In a, In b, Out out) const {
  switch (division) {
    case Division::kDivFull:
      if (arrays_) {
        units::DivFullArray(tables_, a.data(), b.data(), out.data(), out.size());
        return;
      }
      for (size_t i = 0; i < out.size(); ++i) out[i] = units::DivFull(tables_, a[i], b[i]);
      return;
    case Division::kDivFullFtz:
      if (arrays_) {
        units::DivFullFtzArray(tables_, a.data(), b.data(), out.data(), out.size());
        return;
      }
      for (size_t i = 0; i < out.size(); ++i) out[i] = units::DivFullFtz(tables_, a[i], b[i]);
      return;
    case Division::kRcpApprox:
      for (size_t i = 0; i < out.size(); ++i) {
        out[i] = Mul(a[i], units::Evaluate(tables_, Instruction::kRcpApproxF32, b[i]));
      }
      return;
    case Division::kRn:
      for (size_t i = 0; i < out.size(); ++i) out[i] = arith::Div(a[i], b[i]);
      return;
  }
}

void Math::OnePlusExpNegative(In x, Out out) const {
  for (size_t i = 0; i < out.size(); ++i) out[i] = -x[i];
  Exp(out, out);
  for (float& e : out) e = Add(1.0f, e);
}

void Math::Sigmoid(In x, Out out) const {
  std::vector<float> divisor(out.size());
  OnePlusExpNegative(x, divisor);
  const std::vector<float> ones(out.size(), 1.0f);
  Divide(choices_.sigmoid_division, ones, divisor, out);
}

void Math::Silu(In x, Out out) const {
  std::vector<float> divisor(out.size());
  OnePlusExpNegative(x, divisor);
  if (choices_.silu_form == SiluForm::kDivide) {
    Divide(choices_.silu_division, x, divisor, out);
    return;
  }
  const std::vector<float> ones(out.size(), 1.0f);
  Divide(choices_.silu_division, ones, divisor, divisor);
  Mul(x, divisor, out);
}

void Math::Softplus(In x, Out out) const {
  std::vector<float> log(out.size());
  Exp(x, log);
  for (float& e : log) e = Add(1.0f, e);
  Evaluate(Instruction::kLg2ApproxF32, log, log);
  Mul(log, kLn2, log);
  for (size_t i = 0; i < out.size(); ++i) out[i] = x[i] > kSoftplusLinear ? x[i] : log[i];
}

float Math::Exp(float x) const {
  float result;
  Exp(In(&x, 1), Out(&result, 1));
  return result;
}

float Math::Sigmoid(float x) const {
  float result;
  Sigmoid(In(&x, 1), Out(&result, 1));
  return result;
}

float Math::RootApprox(float x) const {
  return units::Evaluate(tables_, Instruction::kSqrtApproxF32, x);
}

float Math::ReciprocalRoot(NormReciprocal form, float x) const {
  switch (form) {
    case NormReciprocal::kRcpSqrt:
      return units::Evaluate(tables_, Instruction::kRcpApproxF32, RootApprox(x));
    case NormReciprocal::kDivSqrt:
      return units::DivFull(tables_, 1.0f, RootApprox(x));
    case NormReciprocal::kRsqrt:
      return units::Evaluate(tables_, Instruction::kRsqrtApproxF32, x);
    case NormReciprocal::kRn:
      return arith::Div(1.0f, arith::Sqrt(x));
  }
  return x;
}

void Math::DivFull(In a, float b, Out out) const {
  const std::vector<float> divisor(out.size(), b);
  Divide(Division::kDivFull, a, divisor, out);
}

float Math::RoundToBf16(ToBf16 rounding, float x) {
  switch (rounding) {
    case ToBf16::kBf16:
      return arith::Widen(arith::RoundToBf16(x));
    case ToBf16::kBf16Rz:
      return arith::Widen(arith::TruncateToBf16(x));
    case ToBf16::kNone:
      return x;
  }
  return x;
}

void Math::RoundToBf16(ToBf16 rounding, In x, Out out) {
  for (size_t i = 0; i < out.size(); ++i) out[i] = RoundToBf16(rounding, x[i]);
}

}  // namespace samebits::kda_decode
