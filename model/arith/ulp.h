// Classes of values, and the distance of two values counted in representable numbers.
#ifndef SAMEBITS_MODEL_ARITH_ULP_H_
#define SAMEBITS_MODEL_ARITH_ULP_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "model/arith/bfloat16.h"
#include "model/arith/float32.h"

namespace samebits::arith {

enum class FloatClass : uint8_t {
  kNan,
  kNegativeInf,
  kNegativeNormal,
  kNegativeSubnormal,
  kNegativeZero,
  kPositiveZero,
  kPositiveSubnormal,
  kPositiveNormal,
  kPositiveInf,
};

constexpr FloatClass Classify(float x) {
  const uint32_t bits = ToBits(x);
  const uint32_t magnitude = bits & 0x7FFFFFFFu;
  const bool negative = bits != magnitude;
  if (magnitude > 0x7F800000u) return FloatClass::kNan;
  if (magnitude == 0x7F800000u)
    return negative ? FloatClass::kNegativeInf : FloatClass::kPositiveInf;
  if (magnitude >= 0x00800000u)
    return negative ? FloatClass::kNegativeNormal : FloatClass::kPositiveNormal;
  if (magnitude != 0)
    return negative ? FloatClass::kNegativeSubnormal : FloatClass::kPositiveSubnormal;
  return negative ? FloatClass::kNegativeZero : FloatClass::kPositiveZero;
}

/// A bfloat16 is of the class of its widened value.
constexpr FloatClass ClassifyBf16(Bf16 x) { return Classify(Widen(x)); }

constexpr std::string_view Name(FloatClass c) {
  switch (c) {
    case FloatClass::kNan:
      return "nan";
    case FloatClass::kNegativeInf:
      return "-inf";
    case FloatClass::kNegativeNormal:
      return "-normal";
    case FloatClass::kNegativeSubnormal:
      return "-subnormal";
    case FloatClass::kNegativeZero:
      return "-zero";
    case FloatClass::kPositiveZero:
      return "+zero";
    case FloatClass::kPositiveSubnormal:
      return "+subnormal";
    case FloatClass::kPositiveNormal:
      return "+normal";
    case FloatClass::kPositiveInf:
      return "+inf";
  }
  return "?";
}

/// The place of a value in the order of the finite numbers and infinities: -0 and +0 share place 0,
/// the smallest subnormal is 1, infinity is one past the largest finite number. Not for NaN.
constexpr int64_t OrderOf(float x) {
  const uint32_t bits = ToBits(x);
  const int64_t magnitude = bits & 0x7FFFFFFFu;
  return (bits >> 31) != 0 ? -magnitude : magnitude;
}

/// Ulp distance: how many steps between neighbouring float32 numbers lie between a and b. Total:
/// two NaNs of any pattern are 0 apart, -0 and +0 are 0 apart; a NaN and a number have no distance.
/// Compare bits, not distances, to tell whether two results are the same.
constexpr std::optional<int64_t> UlpDistance(float a, float b) {
  if (IsNan(a) || IsNan(b)) {
    return IsNan(a) && IsNan(b) ? std::optional<int64_t>(0) : std::nullopt;
  }
  const int64_t difference = OrderOf(a) - OrderOf(b);
  return difference < 0 ? -difference : difference;
}

/// The same between neighbouring bfloat16 numbers.
constexpr std::optional<int64_t> UlpDistanceBf16(Bf16 a, Bf16 b) {
  const std::optional<int64_t> distance = UlpDistance(Widen(a), Widen(b));
  if (!distance) return std::nullopt;
  return *distance >> 16;  // exact: the low 16 bits of both are zero
}

}  // namespace samebits::arith

#endif  // SAMEBITS_MODEL_ARITH_ULP_H_
