// MUFU.SIN and MUFU.COS: the argument is in turns.
#include "model/units/special_functions.h"
#include "model/units/special_functions/correctly_rounded.h"

namespace samebits::units {
namespace {

constexpr uint32_t kFractionMask = 0x7FFFFFu;

/// |turns| truncated toward zero to 25 fraction bits, modulo one turn.
uint32_t FixedTurn(uint32_t magnitude) {
  if (magnitude < 0x00800000u) return 0;
  const int exponent = static_cast<int>(magnitude >> 23) - 127;
  const uint32_t significand = (magnitude & kFractionMask) | 0x800000u;
  const int shift = exponent + 2;  // the significand has 23 fraction bits
  if (shift <= -24 || shift >= 25) return 0;
  return (shift >= 0 ? significand << shift : significand >> -shift) & 0x1FFFFFFu;
}

float QuarterSine(const SpecialFunctionTables& tables, uint32_t sign, uint32_t fraction) {
  return Assemble(sign, Interpolate(tables.sin, fraction), tables.sin.fraction_bits);
}

}  // namespace

float Sin(const SpecialFunctionTables& tables, float turns) {
  const uint32_t bits = arith::ToBits(turns);
  const uint32_t magnitude = bits & 0x7FFFFFFFu;
  if (magnitude >= 0x7F800000u) return arith::FromBits(arith::kNanBits);
  if (tables.method == SpecialFunctionMethod::kCorrectlyRounded) {
    return correctly_rounded::Sin(turns);
  }
  const uint32_t fixed = FixedTurn(magnitude);
  const uint32_t quarter = fixed >> 23;
  const uint32_t fraction = fixed & kFractionMask;
  const uint32_t sign = (bits & 0x80000000u) ^ (quarter >= 2 ? 0x80000000u : 0u);
  // The reflection is a one's complement.
  return QuarterSine(tables, sign, (quarter & 1u) != 0 ? ~fraction & kFractionMask : fraction);
}

float Cos(const SpecialFunctionTables& tables, float turns) {
  const uint32_t magnitude = arith::ToBits(turns) & 0x7FFFFFFFu;
  if (magnitude >= 0x7F800000u) return arith::FromBits(arith::kNanBits);
  if (tables.method == SpecialFunctionMethod::kCorrectlyRounded) {
    return correctly_rounded::Cos(turns);
  }
  const uint32_t fixed = FixedTurn(magnitude);
  const uint32_t quarter = fixed >> 23;
  const uint32_t fraction = fixed & kFractionMask;
  const uint32_t sign = quarter == 1 || quarter == 2 ? 0x80000000u : 0u;
  return QuarterSine(tables, sign, (quarter & 1u) != 0 ? fraction : ~fraction & kFractionMask);
}

}  // namespace samebits::units
