#include "harness/compare/compare_tensors.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>

#include "harness/compare/element.h"

namespace samebits::harness {
namespace {

/// Where the sign, the infinity and the subnormals of a float type lie.
struct Format {
  uint32_t sign, infinity, smallest_normal;
};

Format FormatOf(DType dtype) {
  switch (dtype) {
    case DType::kBf16:
      return {0x8000u, 0x7F80u, 0x0080u};
    case DType::kF16:
      return {0x8000u, 0x7C00u, 0x0400u};
    default:
      return {0x80000000u, 0x7F800000u, 0x00800000u};
  }
}

/// f16 has no definition of its own in model/arith: its place among the numbers, as OrderOf there.
int64_t OrderOfF16(uint32_t bits) {
  const auto magnitude = static_cast<int64_t>(bits & 0x7FFFu);
  return bits & 0x8000u ? -magnitude : magnitude;
}

bool BothNan(DType dtype, uint32_t a, uint32_t b) {
  if (dtype == DType::kI32) return false;
  const Format format = FormatOf(dtype);
  return (a & (format.sign - 1)) > format.infinity && (b & (format.sign - 1)) > format.infinity;
}

bool Same(DType dtype, uint32_t expected, uint32_t actual, NanPolicy nan) {
  if (expected == actual) return true;
  if (nan == NanPolicy::kBits || !BothNan(dtype, expected, actual)) return false;
  return expected != PoisonBits(dtype) && actual != PoisonBits(dtype);
}

/// Coordinate of the row-major index along kTimeDim.
class Clock {
 public:
  explicit Clock(const TensorSpec& spec) {
    for (size_t d = 0; d < spec.dims.size(); ++d) {
      stride_ *= spec.shape[d];
      if (spec.dims[d] != kTimeDim) continue;
      extent_ = spec.shape[d];
      stride_ = 1;
    }
  }
  int64_t Step(int64_t index) const { return extent_ == 1 ? 0 : index / stride_ % extent_; }

 private:
  int64_t stride_ = 1, extent_ = 1;
};

void Add(int64_t index, int64_t step, uint32_t expected, uint32_t actual, TensorDiff* diff) {
  const DType dtype = diff->spec.dtype;
  const ElementDiff element{index, expected, actual, Classify(dtype, expected, actual),
                            UlpDistance(dtype, expected, actual)};
  if (diff->differing == 0) diff->worst = element;
  if (diff->differing == 0 || step < diff->step) {
    diff->first = element;
    diff->step = step;
  }
  ++diff->differing;
  if (element.ulp && (!diff->worst.ulp || *element.ulp > *diff->worst.ulp)) diff->worst = element;
  ++diff->changes[static_cast<size_t>(element.change)];
  if (element.ulp) ++diff->ulps[static_cast<size_t>(std::bit_width(*element.ulp))];
  for (uint32_t flipped = expected ^ actual; flipped != 0; flipped &= flipped - 1) {
    ++diff->flips[static_cast<size_t>(std::countr_zero(flipped))];
  }
  if (dtype != DType::kI32) {
    ++diff->classes[static_cast<size_t>(ClassOf(dtype, expected))]
                   [static_cast<size_t>(ClassOf(dtype, actual))];
  }
  const double error = std::abs(double{ToFloat(dtype, actual)} - double{ToFloat(dtype, expected)});
  if (std::isfinite(error)) diff->max_abs = std::max(diff->max_abs, error);
}

}  // namespace

std::string_view Name(Change change) {
  constexpr std::array<std::string_view, kChanges> names = {
      "value",      "never_written", "stray",    "nan_gained", "nan_lost", "nan_payload",
      "inf_gained", "inf_lost",      "inf_sign", "zero_sign",  "flushed",  "unflushed"};
  return names[static_cast<size_t>(change)];
}

Change Classify(DType dtype, uint32_t expected, uint32_t actual) {
  if (actual == PoisonBits(dtype)) return Change::kNeverWritten;
  if (expected == PoisonBits(dtype)) return Change::kStray;
  if (dtype == DType::kI32) return Change::kValue;
  const Format format = FormatOf(dtype);
  const uint32_t e = expected & (format.sign - 1), a = actual & (format.sign - 1);
  if (e > format.infinity) {
    return a > format.infinity ? Change::kNanPayload : Change::kNanLost;
  }
  if (a > format.infinity) return Change::kNanGained;
  if (e == format.infinity) return a == e ? Change::kInfSign : Change::kInfLost;
  if (a == format.infinity) return Change::kInfGained;
  if (e == 0 && a == 0) return Change::kZeroSign;
  if (a == 0 && e < format.smallest_normal) return Change::kFlushed;
  if (e == 0 && a < format.smallest_normal) return Change::kUnflushed;
  return Change::kValue;
}

std::optional<uint64_t> UlpDistance(DType dtype, uint32_t a, uint32_t b) {
  if (dtype == DType::kI32) return std::nullopt;
  const Format format = FormatOf(dtype);
  if ((a & (format.sign - 1)) >= format.infinity || (b & (format.sign - 1)) >= format.infinity) {
    return std::nullopt;
  }
  if (dtype == DType::kF16) return static_cast<uint64_t>(std::abs(OrderOfF16(a) - OrderOfF16(b)));
  const std::optional<int64_t> distance =
      dtype == DType::kBf16
          ? arith::UlpDistanceBf16(static_cast<arith::Bf16>(a), static_cast<arith::Bf16>(b))
          : arith::UlpDistance(arith::FromBits(a), arith::FromBits(b));
  return static_cast<uint64_t>(distance.value());  // both are finite
}

arith::FloatClass ClassOf(DType dtype, uint32_t bits) {
  const Format format = FormatOf(dtype);
  const uint32_t magnitude = bits & (format.sign - 1);
  // A subnormal f16 widens to a normal float32.
  if (dtype == DType::kF16 && magnitude != 0 && magnitude < format.smallest_normal) {
    return bits & format.sign ? arith::FloatClass::kNegativeSubnormal
                              : arith::FloatClass::kPositiveSubnormal;
  }
  return arith::Classify(ToFloat(dtype, bits));
}

std::optional<TensorDiff> CompareTensors(const Tensor& expected, const Tensor& actual,
                                         NanPolicy nan) {
  const TensorSpec& spec = expected.spec;
  if (spec.dtype != actual.spec.dtype || spec.shape != actual.spec.shape) {
    throw std::invalid_argument(SpecText(spec) + " cannot be compared with " +
                                SpecText(actual.spec));
  }
  if (expected.data == actual.data) return std::nullopt;  // memcmp; almost always the answer
  TensorDiff diff;
  diff.spec = spec;
  const Clock clock(spec);
  const int64_t count = spec.elements();
  for (int64_t i = 0; i < count; ++i) {
    const uint32_t e = ElementBits(expected, i), a = ElementBits(actual, i);
    if (!Same(spec.dtype, e, a, nan)) Add(i, clock.Step(i), e, a, &diff);
  }
  if (diff.differing == 0) return std::nullopt;
  return diff;
}

}  // namespace samebits::harness
