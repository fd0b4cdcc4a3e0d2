#include "model/kda_decode/trace_math.h"

#include "model/arith/bfloat16.h"

namespace samebits::kda_decode {
namespace {

using units::Instruction;

const float kLog2E = arith::FromBits(0x3FB8AA3Bu);
const float kLn2 = arith::FromBits(0x3F317218u);
constexpr float kSoftplusLinear = 20.0f;

}  // namespace

int TraceMath::PowerOfTwo(int x) {
  return Unit(
      choices_.exp == ExpForm::kEx2Ftz ? Instruction::kEx2ApproxFtzF32 : Instruction::kEx2ApproxF32,
      x);
}

int TraceMath::Exp(int x) {
  if (choices_.exp == ExpForm::kExact) {
    return b_.Operation("exp.rn", {x}, math_.Exp(b_.value(x)));
  }
  return PowerOfTwo(b_.Mul(x, b_.Constant(kLog2E, "log2(e)")));
}

int TraceMath::OnePlusExpNegative(int x) {
  const int power = choices_.exp == ExpForm::kExact
                        ? Exp(b_.Negate(x))
                        : PowerOfTwo(b_.Mul(x, b_.Constant(-kLog2E, "-log2(e)")));
  return b_.Add(power, b_.Constant(1.0f, "1"));
}

int TraceMath::Divide(Division division, int a, int b) {
  const float x = b_.value(a), y = b_.value(b);
  switch (division) {
    case Division::kDivFull:
      return b_.Operation("div.full.f32", {a, b}, units::DivFull(math_.tables(), x, y));
    case Division::kDivFullFtz:
      return b_.Operation("div.full.ftz.f32", {a, b}, units::DivFullFtz(math_.tables(), x, y));
    case Division::kRcpApprox:
      return b_.Mul(a, Unit(Instruction::kRcpApproxF32, b));
    case Division::kRn:
      return b_.Div(a, b);
  }
  return a;
}

int TraceMath::Sigmoid(int x) {
  const int divisor = OnePlusExpNegative(x);
  return Divide(choices_.sigmoid_division, b_.Constant(1.0f, "1"), divisor);
}

int TraceMath::Silu(int x) {
  const int divisor = OnePlusExpNegative(x);
  if (choices_.silu_form == SiluForm::kDivide) return Divide(choices_.silu_division, x, divisor);
  return b_.Mul(x, Divide(choices_.silu_division, b_.Constant(1.0f, "1"), divisor));
}

int TraceMath::Softplus(int x) {
  const int sum = b_.Add(Exp(x), b_.Constant(1.0f, "1"));
  const int log = b_.Mul(Unit(Instruction::kLg2ApproxF32, sum), b_.Constant(kLn2, "ln(2)"));
  return b_.Select(b_.value(x) > kSoftplusLinear, x, log, "x above 20, else log(1 + exp(x))");
}

int TraceMath::RootApprox(int x) { return Unit(Instruction::kSqrtApproxF32, x); }

int TraceMath::ReciprocalRoot(NormReciprocal form, int x) {
  switch (form) {
    case NormReciprocal::kRcpSqrt:
      return Unit(Instruction::kRcpApproxF32, RootApprox(x));
    case NormReciprocal::kDivSqrt:
      return DivFull(b_.Constant(1.0f, "1"), RootApprox(x));
    case NormReciprocal::kRsqrt:
      return Unit(Instruction::kRsqrtApproxF32, x);
    case NormReciprocal::kRn:
      return b_.Div(b_.Constant(1.0f, "1"), b_.Operation("sqrt.rn", {x}, arith::Sqrt(b_.value(x))));
  }
  return x;
}

int TraceMath::Round(ToBf16 rounding, int x) {
  switch (rounding) {
    case ToBf16::kBf16:
      return b_.RoundToBf16(x);
    case ToBf16::kBf16Rz:
      return b_.TruncateToBf16(x);
    case ToBf16::kNone:
      return x;
  }
  return x;
}

}  // namespace samebits::kda_decode
