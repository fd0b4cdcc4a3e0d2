// float32 operations as the GPU's scalar units round them: round to nearest even, subnormals kept,
// one rounding each, and every NaN result is the one canonical pattern (SPEC of kda_decode, 3.0).
#ifndef SAMEBITS_MODEL_ARITH_FLOAT32_H_
#define SAMEBITS_MODEL_ARITH_FLOAT32_H_

#include <bit>
#include <cmath>
#include <cstdint>

namespace samebits::arith {

/// NVIDIA's NaN result, measured on sm_90: payload and sign of the operands are dropped.
inline constexpr uint32_t kNanBits = 0x7FFFFFFFu;

constexpr uint32_t ToBits(float x) { return std::bit_cast<uint32_t>(x); }
constexpr float FromBits(uint32_t bits) { return std::bit_cast<float>(bits); }

constexpr bool IsNan(float x) { return (ToBits(x) & 0x7FFFFFFFu) > 0x7F800000u; }

/// NaN becomes the canonical NaN, everything else passes.
constexpr float Canonical(float x) { return IsNan(x) ? FromBits(kNanBits) : x; }

inline float Add(float a, float b) { return Canonical(a + b); }
inline float Sub(float a, float b) { return Canonical(a - b); }
inline float Mul(float a, float b) { return Canonical(a * b); }
/// a*b + c with one rounding.
inline float Fma(float a, float b, float c) { return Canonical(std::fma(a, b, c)); }
/// IEEE quotient, correctly rounded (not what `/` of a Triton kernel computes).
inline float Div(float a, float b) { return Canonical(a / b); }
/// IEEE square root, correctly rounded.
inline float Sqrt(float x) { return Canonical(std::sqrt(x)); }

/// Subnormals become zero of the same sign (.ftz of PTX, on an operand or a result).
constexpr float FlushSubnormal(float x) {
  return (ToBits(x) & 0x7F800000u) == 0 ? FromBits(ToBits(x) & 0x80000000u) : x;
}

}  // namespace samebits::arith

#endif  // SAMEBITS_MODEL_ARITH_FLOAT32_H_
