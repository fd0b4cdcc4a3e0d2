// float32 instructions of the lane that model/arith does not need.
#ifndef SAMEBITS_GPU_SIMT_ARITHMETIC_H_
#define SAMEBITS_GPU_SIMT_ARITHMETIC_H_

#include <cmath>
#include <limits>

#include "model/arith/float32.h"

namespace samebits::gpu::simt {

/// a * b + c rounded toward minus infinity (fma.rm).
inline float FmaDown(float a, float b, float c) {
  const double product = double{a} * double{b};  // exact
  const double sum = product + double{c};
  if (std::isnan(sum) || std::isinf(sum)) return arith::Canonical(static_cast<float>(sum));
  // The sum's rounding error, exactly.
  const double c_part = sum - product;
  const double error = (product - (sum - c_part)) + (double{c} - c_part);
  if (sum == 0 && error == 0) {
    const bool both_plus = !std::signbit(product) && !std::signbit(c);
    return both_plus ? 0.0f : -0.0f;
  }
  const auto nearest = static_cast<float>(sum);
  const bool above = double{nearest} > sum || (double{nearest} == sum && error < 0);
  return above ? std::nextafter(nearest, -std::numeric_limits<float>::infinity()) : nearest;
}

/// Clamped to [0, 1]; NaN and both zeros become +0 (.sat).
inline float Saturate(float x) { return x > 0 ? (x < 1 ? x : 1.0f) : 0.0f; }

/// The other operand where one is NaN; -0 is below +0.
inline float Min(float a, float b) {
  if (arith::IsNan(a)) return arith::Canonical(b);
  if (arith::IsNan(b)) return a;
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}
inline float Max(float a, float b) {
  if (arith::IsNan(a)) return arith::Canonical(b);
  if (arith::IsNan(b)) return a;
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

}  // namespace samebits::gpu::simt

#endif  // SAMEBITS_GPU_SIMT_ARITHMETIC_H_
