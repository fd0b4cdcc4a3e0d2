// bfloat16 as bit patterns, and the conversions of the GPU.
#ifndef SAMEBITS_MODEL_ARITH_BFLOAT16_H_
#define SAMEBITS_MODEL_ARITH_BFLOAT16_H_

#include <cstdint>

#include "model/arith/float32.h"

namespace samebits::arith {

using Bf16 = uint16_t;  // sign, 8 exponent bits (bias 127), 7 fraction bits

inline constexpr Bf16 kNanBf16 = 0x7FFF;

/// Exact.
constexpr float Widen(Bf16 x) { return FromBits(static_cast<uint32_t>(x) << 16); }

/// cvt.rn.bf16.f32: round to nearest even, overflow to infinity, subnormals kept, NaN to 0x7FFF
/// (measured: 0x7F7FFFFF -> 0x7F80, 0x00018000 -> 0x0002).
constexpr Bf16 RoundToBf16(float x) {
  if (IsNan(x)) return kNanBf16;
  const uint32_t bits = ToBits(x);
  return static_cast<Bf16>((bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16);
}

/// cvt.rz.bf16.f32: truncation toward zero, NaN to 0x7FFF.
constexpr Bf16 TruncateToBf16(float x) {
  return IsNan(x) ? kNanBf16 : static_cast<Bf16>(ToBits(x) >> 16);
}

}  // namespace samebits::arith

#endif  // SAMEBITS_MODEL_ARITH_BFLOAT16_H_
