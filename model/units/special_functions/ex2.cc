// MUFU.EX2: 2^x.
#include "model/units/special_functions.h"
#include "model/units/special_functions/correctly_rounded.h"

namespace samebits::units {
namespace {

/// |x| truncated toward zero to 23 fraction bits, in units of 2^-23; |x| < 128, normal.
int32_t Fixed23(uint32_t magnitude) {
  const int exponent = static_cast<int>(magnitude >> 23) - 127;
  const int32_t significand = static_cast<int32_t>((magnitude & 0x7FFFFFu) | 0x800000u);
  if (exponent >= 0) return significand << exponent;
  return exponent <= -24 ? 0 : significand >> -exponent;
}

}  // namespace

float Ex2(const SpecialFunctionTables& tables, float x) {
  const uint32_t bits = arith::ToBits(x);
  const uint32_t magnitude = bits & 0x7FFFFFFFu;
  const bool negative = bits != magnitude;
  if (magnitude > 0x7F800000u) return arith::FromBits(arith::kNanBits);
  if (magnitude < 0x00800000u) return 1.0f;
  if (magnitude >= 0x43000000u) return negative ? 0.0f : arith::FromBits(0x7F800000u);
  if (tables.method == SpecialFunctionMethod::kCorrectlyRounded) return correctly_rounded::Ex2(x);

  const int32_t fixed = Fixed23(magnitude);
  // Negative: one's complement, unless the fraction is zero.
  const int32_t argument = !negative ? fixed : (fixed & 0x7FFFFF) == 0 ? -fixed : ~fixed;
  const int exponent = argument >> 23;
  const uint32_t fraction = static_cast<uint32_t>(argument) & 0x7FFFFFu;
  if (fraction == 0) return Assemble(0, 1, 0, exponent);
  return Assemble(0, Interpolate(tables.ex2, fraction), tables.ex2.fraction_bits, exponent);
}

}  // namespace samebits::units
