#include "model/kda_pre/math.h"

#include <array>
#include <cmath>
#include <limits>

#include "model/kda_pre/constants.h"
#include "model/profiles/special_functions_sm_90.h"
#include "model/simd_support.h"
#include "model/units/portable_functions.h"
#include "model/units/special_functions.h"

namespace samebits::kda_pre {
namespace {

constexpr std::array<float, 128> kOnes = [] {
  std::array<float, 128> ones{};
  ones.fill(1.0f);
  return ones;
}();

units::Underflow ToUnderflow(Flush flush) {
  return flush == Flush::kFlushed ? units::Underflow::kFlushed : units::Underflow::kKept;
}

/// The next float32 in a direction; zeros, infinities and NaN stay.
float Neighbour(float x, float towards) {
  if (x == 0.0f || !std::isfinite(x)) return x;
  return std::nextafter(x, towards);
}

float Moved(Transcendental form, float x) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  if (form == Transcendental::kUlpUp) return Neighbour(x, kInfinity);
  if (form == Transcendental::kUlpDown) return Neighbour(x, -kInfinity);
  return x;
}

/// The exact result rounded once, special cases and flushing as the instruction's.
float CorrectlyRounded(units::Instruction flushed, units::Instruction kept, Flush flush, float x) {
  return units::Evaluate(profiles::CorrectlyRoundedSpecialFunctions(),
                         flush == Flush::kFlushed ? flushed : kept, x);
}

}  // namespace

Math::Math(const Choices& choices, Path path)
    : choices_(choices), path_(path), vectorised_(path == Path::kFast && SimdSupported()) {}

float Math::Exp2(float x) const {
  if (choices_.exp2 == Transcendental::kCorrectlyRounded) {
    return CorrectlyRounded(units::Instruction::kEx2ApproxFtzF32, units::Instruction::kEx2ApproxF32,
                            choices_.exp2_flush, x);
  }
  return Moved(choices_.exp2, units::PortableExp2(x, ToUnderflow(choices_.exp2_flush)));
}

float Math::Rsq(float x) const {
  if (choices_.rsq == Transcendental::kCorrectlyRounded) {
    return CorrectlyRounded(units::Instruction::kRsqrtApproxFtzF32,
                            units::Instruction::kRsqrtApproxF32, choices_.rsq_flush, x);
  }
  return Moved(choices_.rsq, units::PortableRsq(x, ToUnderflow(choices_.rsq_flush)));
}

float Math::Sigmoid(float z) const {
  return arith::Div(1.0f, arith::Add(1.0f, Exp2(arith::Mul(z, kNegativeLog2E))));
}

float Math::Max(float a, float b) const {
  const bool propagates = choices_.max_nan == MaxNan::kPropagated;
  if (arith::IsNan(a)) return propagates ? arith::Canonical(a) : arith::Canonical(b);
  if (arith::IsNan(b)) return propagates ? arith::Canonical(b) : a;
  if (a == 0.0f && b == 0.0f) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

float Math::Sum(const order::Tree& tree, std::span<const float> values) const {
  return order::SumProducts(tree, values.data(), kOnes.data());
}

void Math::SumColumns(const order::Tree& tree, const order::Columns& columns,
                      std::span<float> out) const {
  if (vectorised_) {
    order::SumColumnsSimd(tree, columns, out.size(), out.data());
  } else {
    order::SumColumns(tree, columns, out.size(), out.data());
  }
}

}  // namespace samebits::kda_pre
