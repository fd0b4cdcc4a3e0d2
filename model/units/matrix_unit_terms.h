// Summands of a matrix unit as integers (matrix_units.md, section 1).
#ifndef SAMEBITS_MODEL_UNITS_MATRIX_UNIT_TERMS_H_
#define SAMEBITS_MODEL_UNITS_MATRIX_UNIT_TERMS_H_

#include <bit>
#include <cstdint>

#include "model/units/matrix_unit.h"

namespace samebits::units {

/// (-1)^negative * significand * 2^lsb; `exponent` is what the alignment sees: the exponents of the
/// factors added up, never renormalised.
struct Term {
  bool negative;
  uint32_t significand;
  int exponent;
  int lsb;
};

/// a * b of finite bf16 values.
inline Term ProductTerm(uint16_t a, uint16_t b) {
  const int field_a = (a >> 7) & 0xFF, field_b = (b >> 7) & 0xFF;
  const uint32_t sig_a = (a & 0x7Fu) | (field_a != 0 ? 0x80u : 0u);
  const uint32_t sig_b = (b & 0x7Fu) | (field_b != 0 ? 0x80u : 0u);
  const int exponent = (field_a > 1 ? field_a : 1) + (field_b > 1 ? field_b : 1) - 254;
  return {((a ^ b) & 0x8000) != 0, sig_a * sig_b, exponent, exponent - 14};
}

/// A finite accumulator.
inline Term AccumulatorTerm(float c) {
  const uint32_t bits = arith::ToBits(c);
  const int field = static_cast<int>((bits >> 23) & 0xFF);
  const int exponent = (field > 1 ? field : 1) - 127;
  const uint32_t significand = (bits & 0x7FFFFFu) | (field != 0 ? 0x800000u : 0u);
  return {(bits >> 31) != 0, significand, exponent, exponent - 23};
}

/// Position of the leading bit, -1 for zero.
constexpr int LeadingBit(uint64_t x) { return 63 - std::countl_zero(x); }

/// x * 2^shift, truncated toward zero. x < 2^32, shift <= 31.
constexpr uint64_t ShiftTruncating(uint64_t x, int shift) {
  if (shift >= 0) return x << shift;
  return shift > -64 ? x >> -shift : 0;
}

/// x * 2^shift, rounded toward minus infinity.
constexpr int64_t ShiftFlooring(int64_t x, int shift) {
  if (shift >= 0) return x * (int64_t{1} << shift);
  return x >> (shift > -63 ? -shift : 63);
}

/// (-1)^negative * magnitude * 2^lsb (+ a part below the lsb if `sticky`) as a float32. Overflow is
/// an infinity in either rounding, subnormals are kept, zero keeps the sign.
float ToFloat(bool negative, uint64_t magnitude, int lsb, Rounding rounding, bool sticky = false);

}  // namespace samebits::units

#endif  // SAMEBITS_MODEL_UNITS_MATRIX_UNIT_TERMS_H_
