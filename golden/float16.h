// IEEE binary16 as bit patterns: the rounding that input generation needs.
#ifndef SAMEBITS_GOLDEN_FLOAT16_H_
#define SAMEBITS_GOLDEN_FLOAT16_H_

#include <bit>
#include <cstdint>

namespace samebits::golden {

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

}  // namespace samebits::golden

#endif  // SAMEBITS_GOLDEN_FLOAT16_H_
