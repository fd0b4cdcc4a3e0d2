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

}  // namespace samebits::arith

#endif  // SAMEBITS_MODEL_ARITH_FLOAT16_H_
