// Two tensors, bit by bit. The verdict is about bits; classes, ulp and errors only describe it.
#ifndef SAMEBITS_HARNESS_COMPARE_COMPARE_TENSORS_H_
#define SAMEBITS_HARNESS_COMPARE_COMPARE_TENSORS_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "model/arith/ulp.h"
#include "model/tensor.h"

namespace samebits::harness {

/// What counts as equal when both elements are NaN.
enum class NanPolicy : uint8_t {
  kBits,   // payload and sign too
  kClass,  // any NaN equals any other; an element that no one wrote equals only another such
};

/// How a differing element changed; each has exactly one kind.
enum class Change : uint8_t {
  kValue,         // both finite and non-zero, or integers
  kNeverWritten,  // expected a result, found the poison
  kStray,         // expected the poison: nothing may be written here
  kNanGained,     // a number became NaN
  kNanLost,       // NaN became a number
  kNanPayload,    // both NaN
  kInfGained,     // finite became infinite
  kInfLost,       // infinite became finite
  kInfSign,       // infinite, the other sign
  kZeroSign,      // +0 and -0
  kFlushed,       // subnormal became zero
  kUnflushed,     // zero became subnormal
};
inline constexpr int kChanges = 12;
/// "value", "never_written", ...: key of JSON and word of the text.
std::string_view Name(Change change);

/// Kind of a pair of different patterns.
Change Classify(DType dtype, uint32_t expected, uint32_t actual);

/// Number of representable values between two elements (0 between -0 and +0); nullopt where a NaN
/// or an infinity takes part, or for integers.
std::optional<uint64_t> UlpDistance(DType dtype, uint32_t a, uint32_t b);

/// Class of an element of a float type.
arith::FloatClass ClassOf(DType dtype, uint32_t bits);
inline constexpr int kClasses = 9;

/// Bucket 0: no step apart (the sign of zero); bucket k: 2^(k-1) to 2^k - 1 ulp.
inline constexpr int kUlpBuckets = 34;

struct ElementDiff {
  int64_t index = 0;  // row-major
  uint32_t expected = 0, actual = 0;
  Change change = Change::kValue;
  std::optional<uint64_t> ulp;
};

/// The dimension along which a kernel computes one step after the other: what differs at an earlier
/// token came first, whatever the order of the taps.
inline constexpr std::string_view kTimeDim = "token";

struct TensorDiff {
  TensorSpec spec;
  int64_t differing = 0;  // elements
  int64_t step = 0;       // lowest coordinate along kTimeDim with a difference, 0 without that dim
  ElementDiff first;      // lowest index of that step
  ElementDiff worst;      // greatest ulp distance; `first` if no distance is defined
  std::array<int64_t, kChanges> changes{};  // elements per Change
  double max_abs = 0;                       // largest |actual - expected| among finite pairs
  std::array<int64_t, kUlpBuckets> ulps{};  // elements per bucket, where a distance is defined
  std::array<int64_t, 32> flips{};          // elements per bit position that differs
  std::array<std::array<int64_t, kClasses>, kClasses> classes{};  // [expected][actual], floats
};

/// nullopt where every element agrees. Throws std::invalid_argument if dtype or shape differ.
std::optional<TensorDiff> CompareTensors(const Tensor& expected, const Tensor& actual,
                                         NanPolicy nan = NanPolicy::kBits);

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_COMPARE_COMPARE_TENSORS_H_
