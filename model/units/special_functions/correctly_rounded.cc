// EX2, LG2, TANH, SIN and COS, correctly rounded.
//
// Each is evaluated in 120-bit fixed point with an error below 2^-108, relative to its result below
// 2^-80; the nearest float32 is then known unless the value lies closer than that to the middle of
// two floats. No function here has such an argument among float32 (the hardest lie about 2^-60
// away), except where the value is exact, which the code treats first. Round() refuses to guess.
#include "model/units/special_functions/correctly_rounded.h"

#include <array>
#include <bit>
#include <stdexcept>

#include "model/arith/float32.h"
#include "model/units/special_functions/fixed128.h"

namespace samebits::units::correctly_rounded {
namespace {

int ExponentOf(float x) { return static_cast<int>(arith::ToBits(x) >> 23 & 0xFFu) - 127; }
uint32_t SignificandOf(float x) { return (arith::ToBits(x) & 0x7FFFFFu) | 0x800000u; }
uint32_t SignOf(float x) { return arith::ToBits(x) & 0x80000000u; }

int BitWidth(Fixed v) {
  const uint64_t high = static_cast<uint64_t>(v >> 64);
  return high != 0 ? 64 + std::bit_width(high) : std::bit_width(static_cast<uint64_t>(v));
}

/// v * 2^exponent (v > 0, known to 2^12 units), rounded once to nearest.
float Round(uint32_t sign, Fixed v, int exponent) {
  constexpr Fixed kError = 1u << 12;
  const int width = BitWidth(v);
  const int drop = width - 24;
  const Fixed half = Fixed{1} << (drop - 1);
  const Fixed rest = v & ((Fixed{1} << drop) - 1);
  const Fixed distance = rest > half ? rest - half : half - rest;
  if (drop < 16 || distance <= kError)
    throw std::logic_error("special function: undecided rounding");
  const uint32_t significand = static_cast<uint32_t>(v >> drop) + (rest > half ? 1u : 0u);
  // significand may be 2^24: its carry raises the exponent.
  const int field = width - 1 - kFixedBits + exponent + 127 + static_cast<int>(significand >> 24);
  if (field <= 0) return arith::FromBits(sign);
  if (field >= 255) return arith::FromBits(sign | 0x7F800000u);
  return arith::FromBits(sign | static_cast<uint32_t>(field) << 23 | (significand & 0x7FFFFFu));
}

/// 1/n! for n < 34.
constexpr std::array<Fixed, 34> kInverseFactorials = [] {
  std::array<Fixed, 34> values{};
  values[0] = kOne;
  for (unsigned n = 1; n < values.size(); ++n) values[n] = values[n - 1] / n;
  return values;
}();

/// 2^f, 0 <= f < 1.
Fixed Exp2(Fixed f) {
  const Fixed y = Multiply(f, kLn2);
  Fixed sum = 0;
  for (size_t n = kInverseFactorials.size(); n-- > 0;) {
    sum = Multiply(y, sum) + kInverseFactorials[n];
  }
  return sum;
}

/// |x| exactly; 2^-96 <= |x| < 2^7.
Fixed ToFixed(float x) {
  const int shift = ExponentOf(x) - 23 + kFixedBits;
  return Fixed{SignificandOf(x)} << shift;
}

/// sin(z)/z as a function of z^2, z < 1.6.
Fixed SincSeries(Fixed square) {
  Fixed sum = 0;
  for (size_t k = 17; k-- > 0;) {
    sum = kInverseFactorials[2 * k + 1] - Multiply(square, sum);
  }
  return sum;
}

/// sin(2 pi * g * 2^exponent) of a nonzero g in [1, 2), the argument at most a quarter turn.
float SineOfTurns(uint32_t sign, Fixed g, int exponent) {
  const Fixed angle = Multiply(g, 2 * kPi);  // in [6.2, 12.6)
  // The square of tiny angles vanishes.
  const Fixed z = exponent < -100 ? 0 : angle >> -exponent;
  return Round(sign, Multiply(angle, SincSeries(Multiply(z, z))), exponent);
}

/// The same of an argument g in (0, 1/4].
float SineOfTurns(uint32_t sign, Fixed g) {
  const int shift = kFixedBits + 1 - BitWidth(g);
  if (g == kOne / 4) return arith::FromBits(sign | 0x3F800000u);
  return SineOfTurns(sign, g << shift, -shift);
}

struct Turn {
  uint32_t quarter;
  Fixed rest;  // in [0, 1/4)
};

/// |turns| modulo one turn, exactly; 2^-64 <= |turns| < 2^23.
Turn Reduce(float turns) {
  // Bits of weight 2^8 and above leave the 128-bit number.
  const Fixed value = Fixed{SignificandOf(turns)} << (ExponentOf(turns) - 23 + kFixedBits);
  const Fixed fraction = value & (kOne - 1);
  return {static_cast<uint32_t>(fraction >> (kFixedBits - 2)), fraction & (kOne / 4 - 1)};
}

}  // namespace

float Ex2(float x) {
  const bool negative = SignOf(x) != 0;
  if (ExponentOf(x) < -26) return 1.0f;  // closer to 1 than a quarter of the gap below 1
  const Fixed magnitude = ToFixed(x);
  const int whole = static_cast<int>(magnitude >> kFixedBits);
  const Fixed rest = magnitude & (kOne - 1);
  const int exponent = !negative ? whole : rest == 0 ? -whole : -whole - 1;
  if (rest == 0) {
    return exponent < -126 ? 0.0f : arith::FromBits(static_cast<uint32_t>(exponent + 127) << 23);
  }
  return Round(0, Exp2(negative ? kOne - rest : rest), exponent);
}

float Lg2(float x) {
  // x = m * 2^exponent, m in [sqrt(1/2), sqrt(2)) or so, in units of 2^-23.
  int64_t m = SignificandOf(x);
  int exponent = ExponentOf(x);
  int64_t one = int64_t{1} << 23;
  if (m > 0xB504F3) {
    one <<= 1;
    ++exponent;
  }
  if (m == one) return static_cast<float>(exponent);  // exact
  const int64_t difference = m - one;
  const uint64_t size = static_cast<uint64_t>(difference < 0 ? -difference : difference);
  // log2(m) = 2 log2(e) atanh(s), s = (m - 1) / (m + 1).
  const Fixed s = Divide(Fixed{size}, Fixed{static_cast<uint64_t>(m + one)});
  const Fixed log = Multiply(Multiply(2 * kLog2E, s), AtanhSeries(Multiply(s, s)));
  if (exponent == 0) return Round(difference < 0 ? 0x80000000u : 0u, log, 0);
  const uint32_t sign = exponent < 0 ? 0x80000000u : 0u;
  const Fixed whole = Fixed{static_cast<unsigned>(exponent < 0 ? -exponent : exponent)}
                      << kFixedBits;
  return Round(sign, (exponent < 0) == (difference < 0) ? whole + log : whole - log, 0);
}

float Tanh(float x) {
  // tanh(x) = x - x^3/3 + ...: closer to x than half the gap below a power of two.
  if (ExponentOf(x) < -12) return x;
  const float magnitude = arith::FromBits(arith::ToBits(x) & 0x7FFFFFFFu);
  if (magnitude >= 10.0f) return arith::FromBits(SignOf(x) | 0x3F800000u);
  // t = e^(-2|x|) = 2^(fraction - whole), then (1 - t) / (1 + t).
  const Fixed power = Multiply(ToFixed(magnitude), 2 * kLog2E);
  const int whole = static_cast<int>(power >> kFixedBits) + 1;
  const Fixed t = Exp2(kOne - (power & (kOne - 1))) >> whole;
  return Round(SignOf(x), Divide(kOne - t, kOne + t), 0);
}

float Sin(float turns) {
  const int exponent = ExponentOf(turns);
  if (exponent < -126 || exponent >= 23) return arith::FromBits(SignOf(turns));
  if (exponent < -64) {
    return SineOfTurns(SignOf(turns), Fixed{SignificandOf(turns)} << (kFixedBits - 23), exponent);
  }
  const auto [quarter, rest] = Reduce(turns);
  const uint32_t sign = SignOf(turns) ^ (quarter >= 2 ? 0x80000000u : 0u);
  const Fixed g = (quarter & 1u) != 0 ? kOne / 4 - rest : rest;
  return g == 0 ? arith::FromBits(sign) : SineOfTurns(sign, g);
}

float Cos(float turns) {
  const int exponent = ExponentOf(turns);
  if (exponent < -64 || exponent >= 23) return 1.0f;
  const auto [quarter, rest] = Reduce(turns);
  const uint32_t sign = quarter == 1 || quarter == 2 ? 0x80000000u : 0u;
  const Fixed g = (quarter & 1u) != 0 ? rest : kOne / 4 - rest;
  if (g == 0) return arith::FromBits(sign);
  // cos of an angle below 2^-15 turns: the value is that close to 1 only from below.
  return SineOfTurns(sign, g);
}

}  // namespace samebits::units::correctly_rounded
