// IEEE binary16 as bit patterns, and the conversions that the half-precision instructions need.
#ifndef SAMEBITS_MODEL_ARITH_FLOAT16_H_
#define SAMEBITS_MODEL_ARITH_FLOAT16_H_

#include <bit>
#include <cstdint>

#include "model/arith/float32.h"

namespace samebits::arith {

using F16 = uint16_t;  // sign, 5 exponent bits (bias 15), 10 fraction bits

inline constexpr F16 kNanF16 = 0x7FFF;

/// Exact; subnormals are kept, NaN becomes the canonical NaN.
constexpr float WidenF16(F16 x) {
  const uint32_t sign = static_cast<uint32_t>(x & 0x8000u) << 16;
  const uint32_t magnitude = x & 0x7FFFu;
  if (magnitude > 0x7C00u) return FromBits(kNanBits);
  if (magnitude == 0x7C00u) return FromBits(sign | 0x7F800000u);
  if (magnitude >= 0x0400u) return FromBits(sign | ((magnitude << 13) + (112u << 23)));
  if (magnitude == 0) return FromBits(sign);
  // magnitude * 2^-24, top bit made implicit.
  const int top = std::bit_width(magnitude) - 1;
  const uint32_t fraction = (magnitude << (23 - top)) & 0x7FFFFFu;
  return FromBits(sign | static_cast<uint32_t>(top - 24 + 127) << 23 | fraction);
}

/// Truncation toward zero that keeps subnormals; magnitudes from 65536 on become infinity (the
/// half-precision special functions do so; cvt.rz would give 65504), NaN becomes 0x7FFF.
constexpr F16 TruncateToF16(float x) {
  if (IsNan(x)) return kNanF16;
  const uint32_t bits = ToBits(x);
  const uint32_t sign = bits >> 16 & 0x8000u;
  const int exponent = static_cast<int>(bits >> 23 & 0xFFu) - 127;
  if (exponent > 15) return static_cast<F16>(sign | 0x7C00u);
  if (exponent < -24) return static_cast<F16>(sign);
  const uint32_t significand = (bits & 0x7FFFFFu) | 0x800000u;
  if (exponent < -14) return static_cast<F16>(sign | significand >> (-1 - exponent));
  return static_cast<F16>(sign |
                          ((static_cast<uint32_t>(exponent + 14) << 10) + (significand >> 13)));
}

/// Round to nearest even, overflow to infinity, subnormals kept, NaN to 0x7FFF.
constexpr uint16_t RoundToF16(float x) {
  const uint32_t bits = std::bit_cast<uint32_t>(x);
  const uint32_t sign = (bits >> 16) & 0x8000u, magnitude = bits & 0x7FFFFFFFu;
  if (magnitude > 0x7F800000u) return 0x7FFF;
  if (magnitude >= 0x47800000u) return static_cast<uint16_t>(sign | 0x7C00u);  // 2^16 and above
  const bool subnormal = magnitude < 0x38800000u;                              // below 2^-14
  // Fraction bits that are dropped, and the pattern whose unit in the last place they belong to.
  const uint32_t exponent = magnitude >> 23;
  const uint32_t shift = subnormal ? 126 - exponent : 13;
  if (shift > 24) return static_cast<uint16_t>(sign);  // below 2^-25
  const uint32_t value = subnormal ? (magnitude & 0x7FFFFFu) | 0x800000u : magnitude - 0x38000000u;
  const uint32_t kept = value >> shift, rest = value & ((1u << shift) - 1),
                 half = 1u << (shift - 1);
  const uint32_t up = rest > half || (rest == half && (kept & 1u) != 0) ? 1 : 0;
  return static_cast<uint16_t>(sign | (kept + up));
}

}  // namespace samebits::arith

#endif  // SAMEBITS_MODEL_ARITH_FLOAT16_H_
