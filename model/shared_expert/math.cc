#include "model/shared_expert/math.h"

#include <algorithm>
#include <array>
#include <bit>

#include "model/profiles/special_functions_sm_90.h"
#include "model/shared_expert/config.h"
#include "model/simd_support.h"

namespace samebits::shared_expert {
namespace {

using arith::FromBits;
using arith::ToBits;
using units::Instruction;

const units::SpecialFunctionTables& Tables(SpecialFunctions choice) {
  return choice == SpecialFunctions::kClosedForm ? profiles::Sm90SpecialFunctions()
                                                 : profiles::CorrectlyRoundedSpecialFunctions();
}

constexpr std::array<float, kMaxTp> kOnes = [] {
  std::array<float, kMaxTp> ones{};
  ones.fill(1.0f);
  return ones;
}();

/// Values are worked on in pieces that stay in the first-level cache.
constexpr size_t kPiece = 256;
using Piece = std::array<float, kPiece>;

template <typename Body>
void ForPieces(In x, Out out, const Body& body) {
  for (size_t i = 0; i < x.size(); i += kPiece) {
    const size_t n = std::min(kPiece, x.size() - i);
    body(x.subspan(i, n), out.subspan(i, n));
  }
}

}  // namespace

Math::Math(const Choices& choices, Path path)
    : tables_(Tables(choices.special_functions)),
      flushes_(choices.arithmetic == Arithmetic::kFtz),
      arrays_(path == Path::kFast),
      vectorised_(path == Path::kFast && !flushes_ && SimdSupported()) {}

float Math::Sum(const order::Tree& tree, In values) const {
  return order::SumProducts(tree, values.data(), kOnes.data(), 0.0f, subnormals());
}

void Math::SumColumns(const order::Tree& tree, const float* values, size_t stride, Out out) const {
  const order::Columns columns = {
      .a = values, .a_stride = stride, .b = kOnes.data(), .b_stride = 0};
  if (vectorised_) {
    order::SumColumnsSimd(tree, columns, out.size(), out.data());
  } else {
    order::SumColumns(tree, columns, out.size(), out.data(), subnormals());
  }
}

void Math::Evaluate(Instruction instruction, In x, Out out) const {
  if (arrays_) {
    units::EvaluateArray(tables_, instruction, x.data(), out.data(), x.size());
    return;
  }
  for (size_t i = 0; i < x.size(); ++i) out[i] = units::Evaluate(tables_, instruction, x[i]);
}

float Math::DivFull(float a, float b) const {
  return flushes_ ? units::DivFullFtz(tables_, a, b) : units::DivFull(tables_, a, b);
}

void Math::Tanh(In x, Out out) const {
  const float scale = FromBits(0x4038AA3Bu);            // 2 * log2(e)
  const uint32_t small = 0x3F19999Au;                   // below 0.6, and NaN: the polynomial
  const uint32_t one = 0x41102CB4u, inf = 0x7F800000u;  // from 9.0109 on: 1
  ForPieces(x, out, [&](In a, Out result) {
    Piece r;
    const Out rs(r.data(), a.size());
    for (size_t i = 0; i < a.size(); ++i) rs[i] = Mul(std::fabs(a[i]), scale);
    Evaluate(Instruction::kEx2ApproxFtzF32, rs, rs);
    for (float& e : rs) e = Add(e, 1.0f);
    Evaluate(Instruction::kRcpApproxFtzF32, rs, rs);
    for (size_t i = 0; i < a.size(); ++i) {
      const uint32_t t = ToBits(a[i]) & 0x7FFFFFFFu;
      if (t >= small && t <= inf) {
        const float v = t >= one ? 1.0f : Fma(rs[i], -2.0f, 1.0f);
        result[i] = std::copysign(v, a[i]);
        continue;
      }
      const float s = Mul(a[i], a[i]);
      float p = Fma(FromBits(0x3C80F082u), s, FromBits(0xBD563CAEu));
      p = Fma(p, s, FromBits(0x3E085941u));
      p = Fma(p, s, FromBits(0xBEAAA9EDu));
      p = Fma(p, s, 0.0f);
      result[i] = Fma(p, a[i], a[i]);
    }
  });
}

void Math::ExpNegative(In x, Out out) const {
  ForPieces(x, out, [&](In minus_a, Out result) {
    Piece powers, scales;
    const Out fs(powers.data(), minus_a.size());
    for (size_t i = 0; i < minus_a.size(); ++i) {
      const float a = -minus_a[i];
      const float v = Fma(a, FromBits(0x3BBB989Du), 0.5f);
      const float m = RoundDown252(arith::IsNan(v) ? 0.0f : std::clamp(v, 0.0f, 1.0f));
      const float j = Add(m, FromBits(0xCB40007Fu));
      const float f = Fma(a, FromBits(0x3FB8AA3Bu), -j);
      fs[i] = Fma(a, FromBits(0x32A57060u), f);
      scales[i] = FromBits(ToBits(m) << 23);
    }
    Evaluate(Instruction::kEx2ApproxFtzF32, fs, fs);
    for (size_t i = 0; i < minus_a.size(); ++i) result[i] = Mul(fs[i], scales[i]);
  });
}

void Math::Ex2Negative(In x, Out out) const {
  const float log2e = FromBits(0x3FB8AA3Bu);
  for (size_t i = 0; i < x.size(); ++i) out[i] = Mul(-x[i], log2e);
  Evaluate(Instruction::kEx2ApproxFtzF32, out, out);
}

void Math::TanhApprox(In x, Out out) const { Evaluate(Instruction::kTanhApproxF32, x, out); }

}  // namespace samebits::shared_expert
