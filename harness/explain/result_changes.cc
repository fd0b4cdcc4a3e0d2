#include "harness/explain/result_changes.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/compare/element.h"
#include "harness/explain/permutation.h"
#include "model/arith/float32.h"

namespace samebits::harness {
namespace {

using Kind = Transform::Kind;

/// A few elements have a common factor by chance, unless it is a simple one.
constexpr size_t kElementsOfAnyFactor = 8;
constexpr int kBitsOfSimpleFactor = 4;

bool IsSimple(float factor) {
  int exponent = 0;
  const float scaled = std::ldexp(std::frexp(factor, &exponent), kBitsOfSimpleFactor);
  return scaled == std::trunc(scaled);
}

/// Half of the spacing of float32 around x, in double.
double HalfUlp(float x) {
  const float next = std::nextafter(std::abs(x), std::numeric_limits<float>::infinity());
  return (static_cast<double>(next) - std::abs(static_cast<double>(x))) / 2;
}

double HalfUlpOf(DType dtype, float x) {
  return HalfUlp(x) * (dtype == DType::kBf16 ? 65536.0 : dtype == DType::kF16 ? 8192.0 : 1.0);
}

/// The number of [low, high] with the fewest significant bits.
float Simplest(double low, double high) {
  for (int bits = 1; bits <= 24; ++bits) {
    const double middle = (low + high) / 2;
    int exponent = 0;
    std::frexp(middle, &exponent);
    const double unit = std::ldexp(1.0, exponent - bits);
    const double candidate = std::ceil(low / unit) * unit;
    if (candidate <= high) return static_cast<float>(candidate);
  }
  return static_cast<float>((low + high) / 2);
}

bool IsConversion(const Transform& transform) {
  return transform.kind == Kind::kToBf16 || transform.kind == Kind::kToBf16Rz ||
         transform.kind == Kind::kToF16;
}

bool Explains(const Transform& transform, const Observation& seen, const Tensor& computed,
              const std::vector<int64_t>& differing, const Tensor* other, ResultChange* found) {
  const Tensor result = Apply(transform, computed, other);
  const DType dtype = computed.spec.dtype;
  const auto fits = [&](int64_t i) {
    const uint32_t bits = ElementBits(seen.values, i);
    if (ElementBits(result, i) == bits) return true;
    // A conversion leaves some NaN of a NaN.
    return IsConversion(transform) && std::isnan(ToFloat(dtype, bits)) &&
           std::isnan(ToFloat(dtype, ElementBits(computed, i)));
  };
  if (!std::ranges::all_of(differing, fits)) return false;
  const bool shows = std::ranges::any_of(
      differing, [&](int64_t i) { return ElementBits(result, i) == ElementBits(seen.values, i); });
  if (!shows) return false;
  found->transform = transform;
  found->explained = static_cast<int64_t>(differing.size());
  found->everywhere = std::ranges::all_of(seen.covered, [&](const Range& range) {
    for (int64_t i = range.begin; i < range.end; ++i) {
      if (!fits(i)) return false;
    }
    return true;
  });
  return true;
}

}  // namespace

std::optional<float> CommonFactor(const Tensor& seen, const Tensor& computed,
                                  const std::vector<int64_t>& differing) {
  const DType dtype = seen.spec.dtype;
  if (dtype == DType::kI32) return std::nullopt;
  double low = -std::numeric_limits<double>::infinity(), high = -low;
  for (const int64_t index : differing) {
    const float x = ToFloat(dtype, ElementBits(computed, index));
    const float y = ToFloat(dtype, ElementBits(seen, index));
    if (!std::isfinite(x) || !std::isfinite(y)) return std::nullopt;
    if (x == 0) {
      if (y != 0) return std::nullopt;
      continue;
    }
    const double half = HalfUlpOf(dtype, y);
    const double a = (y - half) / x, b = (y + half) / x;
    low = std::max(low, std::min(a, b));
    high = std::min(high, std::max(a, b));
    if (low > high) return std::nullopt;
  }
  if (!std::isfinite(low) || !std::isfinite(high)) return std::nullopt;
  const float factor = Simplest(low, high);
  if (differing.size() < kElementsOfAnyFactor && !IsSimple(factor)) return std::nullopt;
  return factor;
}

std::vector<ResultChange> FindResultChanges(const Observation& seen, const Tensor& computed,
                                            const std::vector<int64_t>& differing,
                                            const std::vector<const Tensor*>& operands) {
  const TensorSpec& spec = seen.values.spec;
  std::vector<Transform> candidates = {{.kind = Kind::kNeverWritten}};
  for (Transform& transform : TransformsOf(spec)) candidates.push_back(std::move(transform));
  if (const auto factor = CommonFactor(seen.values, computed, differing)) {
    candidates.push_back({.kind = Kind::kFactor, .factor = *factor});
  }
  if (auto order = FindPermutation(seen, computed); order && order->kind == Kind::kPermuted) {
    candidates.push_back(std::move(*order));
  }
  std::vector<ResultChange> changes;
  const auto attempt = [&](const Transform& transform, const Tensor* other) {
    ResultChange found;
    if (Explains(transform, seen, computed, differing, other, &found)) changes.push_back(found);
  };
  for (const Transform& transform : candidates) attempt(transform, nullptr);
  for (const Tensor* operand : operands) {
    if (operand->spec.dtype != spec.dtype || operand->spec.shape != spec.shape) continue;
    const bool self = operand->spec.role == spec.role && operand->spec.name == spec.name;
    if (!self) attempt({.kind = Kind::kReplaced, .other = FullName(operand->spec)}, operand);
  }
  std::ranges::stable_sort(changes, std::ranges::greater(), &ResultChange::everywhere);
  return changes;
}

}  // namespace samebits::harness
