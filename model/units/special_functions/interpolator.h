// The quadratic interpolator that all eight special functions share (special_functions.md, "One
// interpolator for all of them"; special_functions_more.md, "Common core").
#ifndef SAMEBITS_MODEL_UNITS_SPECIAL_FUNCTIONS_INTERPOLATOR_H_
#define SAMEBITS_MODEL_UNITS_SPECIAL_FUNCTIONS_INTERPOLATOR_H_

#include <bit>
#include <cstdint>
#include <span>

#include "model/arith/float32.h"

namespace samebits::units {

/// Coefficients of one segment.
struct QuadraticRow {
  int32_t c0, c1, c2;
};

/// V = (c0 << c0_shift) + bias + c1 * x + ((c2 * T(x)) << c2_shift), a fixed-point number with
/// `fraction_bits` fraction bits; x has `low_bits` bits and T is the truncated square of x.
struct Interpolator {
  int low_bits = 0;             // of the argument's fraction, those below the row index
  int square_first_column = 0;  // partial products of x*x below this column do not exist
  int fraction_bits = 0;        // of V
  int c0_shift = 0;
  int c2_shift = 0;
  int64_t bias = 0;  // in units of V
  std::span<const QuadraticRow> rows;
};

/// T(x): the partial products of x*x (x_i at column 2i; x_i*x_j, i < j, at column i+j+1) with
/// column
/// >= first_column, divided by 2^first_column (exact). Nothing is carried out of the others.
constexpr int64_t TruncatedSquare(uint32_t x, int first_column) {
  uint64_t sum = 0;
  for (int j = 0; x >> j != 0; ++j) {
    if ((x >> j & 1u) == 0) continue;
    if (2 * j >= first_column) sum += uint64_t{1} << (2 * j);
    // i + j + 1 >= first_column, i < j.
    const int first = first_column - j - 1;
    const uint32_t below = x & ((1u << j) - 1u);
    const uint32_t kept = first >= j ? 0u : first <= 0 ? below : below >> first << first;
    sum += uint64_t{kept} << (j + 1);
  }
  return static_cast<int64_t>(sum >> first_column);
}

/// V of segment `row` at x, 0 <= x < 2^low_bits.
constexpr int64_t Interpolate(const Interpolator& t, uint32_t row, uint32_t x) {
  const QuadraticRow& c = t.rows[row];
  const int64_t square = TruncatedSquare(x, t.square_first_column);
  return (int64_t{c.c0} << t.c0_shift) + t.bias + int64_t{c.c1} * x +
         (int64_t{c.c2} * square << t.c2_shift);
}

/// V at a fraction of `low_bits` + log2(rows) bits: the top bits choose the row.
constexpr int64_t Interpolate(const Interpolator& t, uint32_t fraction) {
  return Interpolate(t, fraction >> t.low_bits, fraction & ((1u << t.low_bits) - 1u));
}

/// v * 2^(exponent - fraction_bits) as a float32 with 24 significant bits, truncated toward zero;
/// sign: 0 or 0x80000000. Results below 2^-126 become zero, results from 2^128 on infinity. v >= 0.
constexpr float Assemble(uint32_t sign, int64_t v, int fraction_bits, int exponent = 0) {
  if (v == 0) return arith::FromBits(sign);
  const int top = static_cast<int>(std::bit_width(static_cast<uint64_t>(v))) - 1;
  const int64_t field = int64_t{top} - fraction_bits + exponent + 127;
  if (field <= 0) return arith::FromBits(sign);
  if (field >= 255) return arith::FromBits(sign | 0x7F800000u);
  const uint32_t fraction =
      static_cast<uint32_t>(top >= 23 ? v >> (top - 23) : v << (23 - top)) & 0x7FFFFFu;
  return arith::FromBits(sign | static_cast<uint32_t>(field) << 23 | fraction);
}

}  // namespace samebits::units

#endif  // SAMEBITS_MODEL_UNITS_SPECIAL_FUNCTIONS_INTERPOLATOR_H_
