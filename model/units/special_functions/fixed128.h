// Fixed-point numbers of 128 bits: what the correctly rounded functions are evaluated in.
#ifndef SAMEBITS_MODEL_UNITS_SPECIAL_FUNCTIONS_FIXED128_H_
#define SAMEBITS_MODEL_UNITS_SPECIAL_FUNCTIONS_FIXED128_H_

#include <cstdint>

namespace samebits::units::correctly_rounded {

/// A non-negative number below 2^8 with 120 fraction bits.
using Fixed = unsigned __int128;
inline constexpr int kFixedBits = 120;
inline constexpr Fixed kOne = Fixed{1} << kFixedBits;

/// a * b; error below 2 units of the last place (both toward zero). The product must be below 2^8.
constexpr Fixed Multiply(Fixed a, Fixed b) {
  const uint64_t a1 = static_cast<uint64_t>(a >> 64), a0 = static_cast<uint64_t>(a);
  const uint64_t b1 = static_cast<uint64_t>(b >> 64), b0 = static_cast<uint64_t>(b);
  const Fixed middle = (Fixed{a0} * b0 >> 64) + static_cast<uint64_t>(Fixed{a1} * b0);
  const Fixed middle2 = middle + static_cast<uint64_t>(Fixed{a0} * b1);  // below 3 * 2^64
  const Fixed high =
      Fixed{a1} * b1 + (Fixed{a1} * b0 >> 64) + (Fixed{a0} * b1 >> 64) + (middle2 >> 64);
  return high << 8 | static_cast<uint64_t>(middle2) >> 56;
}

/// a / b toward zero, a <= b, b != 0, b < 2^127.
constexpr Fixed Divide(Fixed a, Fixed b) {
  Fixed quotient = a / b;
  Fixed remainder = a % b;
  for (int i = 0; i < kFixedBits; ++i) {
    remainder <<= 1;
    quotient <<= 1;
    if (remainder >= b) {
      remainder -= b;
      quotient |= 1;
    }
  }
  return quotient;
}

/// atanh(s)/s as a function of s^2, s^2 <= 1/9: sum of (s^2)^k / (2k+1).
constexpr Fixed AtanhSeries(Fixed square) {
  Fixed sum = 0;
  for (int k = 38; k >= 0; --k) {
    sum = Multiply(square, sum) + kOne / static_cast<unsigned>(2 * k + 1);
  }
  return sum;
}

/// atan(1/n), n >= 5.
constexpr Fixed AtanReciprocal(unsigned n) {
  Fixed sum = 0;
  Fixed power = kOne / n;
  for (unsigned k = 1; power != 0; k += 2, power /= n * n) {
    sum = (k & 2u) != 0 ? sum - power / k : sum + power / k;
  }
  return sum;
}

inline constexpr Fixed kLn2 = Multiply(2 * (kOne / 3), AtanhSeries(kOne / 9));  // 2 atanh(1/3)
inline constexpr Fixed kLog2E = 2 * Divide(kOne / 2, kLn2);
// Machin: pi/4 = 4 atan(1/5) - atan(1/239).
inline constexpr Fixed kPi = 16 * AtanReciprocal(5) - 4 * AtanReciprocal(239);

}  // namespace samebits::units::correctly_rounded

#endif  // SAMEBITS_MODEL_UNITS_SPECIAL_FUNCTIONS_FIXED128_H_
