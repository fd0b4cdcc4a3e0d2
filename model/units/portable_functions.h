// v_exp_f32 and v_rsq_f32 of AMD's chips, whose results inside 1 ulp are not public: stand-ins in
// binary64 that give the same bits on every machine (SPEC.md of kda_pre, section 7.3 and appendix
// B). Special cases and flushing are the instructions' documented ones.
#ifndef SAMEBITS_MODEL_UNITS_PORTABLE_FUNCTIONS_H_
#define SAMEBITS_MODEL_UNITS_PORTABLE_FUNCTIONS_H_

#include <bit>
#include <cmath>
#include <cstdint>

#include "model/arith/float32.h"

namespace samebits::units {

/// RN64((ln 2)^k / k!).
inline constexpr double kPortableExp2Coefficients[15] = {
    std::bit_cast<double>(uint64_t{0x3FF0000000000000}),
    std::bit_cast<double>(uint64_t{0x3FE62E42FEFA39EF}),
    std::bit_cast<double>(uint64_t{0x3FCEBFBDFF82C58F}),
    std::bit_cast<double>(uint64_t{0x3FAC6B08D704A0C0}),
    std::bit_cast<double>(uint64_t{0x3F83B2AB6FBA4E77}),
    std::bit_cast<double>(uint64_t{0x3F55D87FE78A6731}),
    std::bit_cast<double>(uint64_t{0x3F2430912F86C787}),
    std::bit_cast<double>(uint64_t{0x3EEFFCBFC588B0C7}),
    std::bit_cast<double>(uint64_t{0x3EB62C0223A5C824}),
    std::bit_cast<double>(uint64_t{0x3E7B5253D395E7C4}),
    std::bit_cast<double>(uint64_t{0x3E3E4CF5158B8ECA}),
    std::bit_cast<double>(uint64_t{0x3DFE8CAC7351BB25}),
    std::bit_cast<double>(uint64_t{0x3DBC3BD650FC2986}),
    std::bit_cast<double>(uint64_t{0x3D7816193166D0F9}),
    std::bit_cast<double>(uint64_t{0x3D3314964D5878A9}),
};

/// Below 2^-126: zero (the instruction), or as the format has it.
enum class Underflow : uint8_t { kFlushed, kKept };

/// 2^x: +inf from 128 on, NaN canonical; flushed: +0 below -126.
inline float PortableExp2(float x, Underflow underflow = Underflow::kFlushed) {
  if (arith::IsNan(x)) return arith::Canonical(x);
  if (x >= 128.0f) return arith::FromBits(0x7F800000u);
  if (x < (underflow == Underflow::kFlushed ? -126.0f : -150.0f)) return 0.0f;
  const double wide = x;
  const double n = std::nearbyint(wide);
  const double f = wide - n;  // exact
  double r = kPortableExp2Coefficients[14];
  for (int k = 13; k >= 0; --k) r = std::fma(r, f, kPortableExp2Coefficients[k]);
  // A power of two from its exponent: exact, and the product rounds once below.
  const auto exponent = static_cast<uint64_t>(static_cast<int64_t>(n) + 1023);
  return static_cast<float>(r * std::bit_cast<double>(exponent << 52));
}

/// 1/sqrt(x): NaN canonical for negative x; flushed: infinity of x's sign for subnormals.
inline float PortableRsq(float x, Underflow underflow = Underflow::kFlushed) {
  if (arith::IsNan(x)) return arith::Canonical(x);
  const uint32_t bits = arith::ToBits(x);
  const uint32_t magnitude = bits & 0x7FFFFFFFu;
  if (magnitude < (underflow == Underflow::kFlushed ? 0x00800000u : 1u)) {
    return arith::FromBits((bits & 0x80000000u) | 0x7F800000u);
  }
  if (x < 0.0f) return arith::FromBits(arith::kNanBits);
  return static_cast<float>(1.0 / std::sqrt(static_cast<double>(x)));
}

}  // namespace samebits::units

#endif  // SAMEBITS_MODEL_UNITS_PORTABLE_FUNCTIONS_H_
