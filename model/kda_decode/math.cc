#include "model/kda_decode/math.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "model/arith/bfloat16.h"
#include "model/kda_decode/config.h"
#include "model/kda_decode/elementwise.h"
#include "model/order/evaluate.h"
#include "model/profiles/special_functions_sm_90.h"
#include "model/simd_support.h"

namespace samebits::kda_decode {
namespace {

using units::Instruction;

const float kLog2E = arith::FromBits(0x3FB8AA3Bu);
const float kLn2 = arith::FromBits(0x3F317218u);
constexpr float kSoftplusLinear = 20.0f;

/// Arrays of any length pass through buffers of this one.
using Piece = std::array<float, 512>;

constexpr Piece kOnes = [] {
  Piece ones{};
  ones.fill(1.0f);
  return ones;
}();

template <typename Body>
void ForPieces(size_t n, const Body& body) {
  for (size_t first = 0; first < n; first += std::tuple_size_v<Piece>) {
    body(first, std::min(n - first, std::tuple_size_v<Piece>));
  }
}

/// Rounded once from double: correctly rounded but for results within 2^-50 of a tie.
float ExactExp(float x) {
  return arith::Canonical(static_cast<float>(std::exp(static_cast<double>(x))));
}

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
      vectorised_(path == Path::kFast && !flushes_ && SimdSupported()) {}

float Math::SumSquares(const order::Tree& tree, const std::optional<order::Levels>& levels,
                       In a) const {
  if (vectorised_ && levels) return order::SumProductsSimd(*levels, a.data(), a.data());
  return order::SumProducts(tree, a.data(), a.data(), 0.0f, subnormals());
}

void Math::SumColumns(const order::Tree& tree, const order::Columns& columns, Out out) const {
  if (vectorised_) {
    order::SumColumnsSimd(tree, columns, out.size(), out.data());
  } else {
    order::SumColumns(tree, columns, out.size(), out.data(), subnormals());
  }
}

void Math::Add(In a, In b, Out out) const {
  size_t i = vectorised_ ? AddSimd(a.data(), b.data(), out.data(), out.size()) : 0;
  for (; i < out.size(); ++i) out[i] = Add(a[i], b[i]);
}

void Math::Sub(In a, In b, Out out) const {
  size_t i = vectorised_ ? SubSimd(a.data(), b.data(), out.data(), out.size()) : 0;
  for (; i < out.size(); ++i) out[i] = Sub(a[i], b[i]);
}

void Math::Mul(In a, In b, Out out) const {
  size_t i = vectorised_ ? MulSimd(a.data(), b.data(), out.data(), out.size()) : 0;
  for (; i < out.size(); ++i) out[i] = Mul(a[i], b[i]);
}

void Math::Add(In a, float b, Out out) const {
  size_t i = vectorised_ ? AddSimd(a.data(), b, out.data(), out.size()) : 0;
  for (; i < out.size(); ++i) out[i] = Add(a[i], b);
}

void Math::Mul(In a, float b, Out out) const {
  size_t i = vectorised_ ? MulSimd(a.data(), b, out.data(), out.size()) : 0;
  for (; i < out.size(); ++i) out[i] = Mul(a[i], b);
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

void Math::PowerOfTwo(In x, Out out) const {
  Evaluate(
      choices_.exp == ExpForm::kEx2Ftz ? Instruction::kEx2ApproxFtzF32 : Instruction::kEx2ApproxF32,
      x, out);
}

void Math::Exp(In x, Out out) const {
  if (choices_.exp == ExpForm::kExact) {
    for (size_t i = 0; i < out.size(); ++i) out[i] = ExactExp(x[i]);
    return;
  }
  Mul(x, kLog2E, out);
  PowerOfTwo(out, out);
}

void Math::ExpNegative(In x, Out out) const {
  if (choices_.exp == ExpForm::kExact) {
    for (size_t i = 0; i < out.size(); ++i) out[i] = ExactExp(-x[i]);
    return;
  }
  Mul(x, -kLog2E, out);  // the bits of -x * log2(e)
  PowerOfTwo(out, out);
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
  ExpNegative(x, out);
  Add(out, 1.0f, out);
}

void Math::Sigmoid(In x, Out out) const {
  ForPieces(out.size(), [&](size_t first, size_t count) {
    Piece divisor;
    const Out d(divisor.data(), count);
    OnePlusExpNegative(x.subspan(first, count), d);
    Divide(choices_.sigmoid_division, In(kOnes).first(count), d, out.subspan(first, count));
  });
}

void Math::Silu(In x, Out out) const {
  ForPieces(out.size(), [&](size_t first, size_t count) {
    Piece divisor;
    const Out d(divisor.data(), count);
    const In in = x.subspan(first, count);
    OnePlusExpNegative(in, d);
    if (choices_.silu_form == SiluForm::kDivide) {
      Divide(choices_.silu_division, in, d, out.subspan(first, count));
      return;
    }
    Divide(choices_.silu_division, In(kOnes).first(count), d, d);
    Mul(in, d, out.subspan(first, count));
  });
}

void Math::Softplus(In x, Out out) const {
  ForPieces(out.size(), [&](size_t first, size_t count) {
    Piece log;
    const Out l(log.data(), count);
    Exp(x.subspan(first, count), l);
    Add(l, 1.0f, l);
    Evaluate(Instruction::kLg2ApproxF32, l, l);
    Mul(l, kLn2, l);
    for (size_t i = 0; i < count; ++i) {
      out[first + i] = x[first + i] > kSoftplusLinear ? x[first + i] : l[i];
    }
  });
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
  ForPieces(out.size(), [&](size_t first, size_t count) {
    Piece divisor;
    divisor.fill(b);
    Divide(Division::kDivFull, a.subspan(first, count), In(divisor).first(count),
           out.subspan(first, count));
  });
}

void Math::RoundToBf16(ToBf16 rounding, In x, Out out) const {
  size_t i = 0;
  switch (rounding) {
    case ToBf16::kBf16:
      if (vectorised_) i = RoundToBf16Simd(x.data(), out.data(), out.size());
      for (; i < out.size(); ++i) out[i] = arith::Widen(arith::RoundToBf16(x[i]));
      return;
    case ToBf16::kBf16Rz:
      for (; i < out.size(); ++i) out[i] = arith::Widen(arith::TruncateToBf16(x[i]));
      return;
    case ToBf16::kNone:
      std::ranges::copy(x, out.begin());
      return;
  }
}

}  // namespace samebits::kda_decode
