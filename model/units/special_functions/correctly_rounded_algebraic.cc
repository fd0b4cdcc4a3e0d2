// RCP, RSQ and SQRT, correctly rounded: IEEE division and square root, and an exact integer check.
#include <bit>
#include <cmath>

#include "model/arith/float32.h"
#include "model/units/special_functions/correctly_rounded.h"

namespace samebits::units::correctly_rounded {

float Rcp(float x) { return arith::FlushSubnormal(1.0f / x); }

float Sqrt(float x) { return std::sqrt(x); }

float Rsq(float x) {
  // 1/sqrt(m * 2^odd) = r / 2^24 in (1/2, 1], m = significand / 2^23: the nearest r satisfies
  // (2r - 1)^2 * significand * 2^odd < 2^73 < (2r + 1)^2 * significand * 2^odd; never an equality.
  const int exponent = static_cast<int>(arith::ToBits(x) >> 23) - 127;
  const int odd = exponent & 1;
  const int half = exponent >> 1;  // floor
  const uint64_t significand = uint64_t{(arith::ToBits(x) & 0x7FFFFFu) | 0x800000u} << odd;
  const auto square_above = [&](uint64_t twice) {
    return static_cast<unsigned __int128>(twice) * twice * significand >
           static_cast<unsigned __int128>(1) << 73;
  };
  uint64_t r =
      static_cast<uint64_t>(0x1p24 / std::sqrt(static_cast<double>(significand) * 0x1p-23));
  while (square_above(2 * r - 1)) --r;
  while (!square_above(2 * r + 1)) ++r;
  // r is in [2^23, 2^24]; the exponent stays far from the ends of the range.
  return static_cast<float>(r) * arith::FromBits(static_cast<uint32_t>(127 - 24 - half) << 23);
}

}  // namespace samebits::units::correctly_rounded
