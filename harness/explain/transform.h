// Simple ways in which one tensor can stand for another: a wrong layout, a stale or swapped
// operand, a factor, one more rounding.
#ifndef SAMEBITS_HARNESS_EXPLAIN_TRANSFORM_H_
#define SAMEBITS_HARNESS_EXPLAIN_TRANSFORM_H_

#include <cstdint>
#include <string>
#include <vector>

#include "model/tensor.h"

namespace samebits::harness {

struct Transform {
  enum class Kind : uint8_t {
    kNeverWritten,  // poison
    kZero,
    kOne,
    kFactor,         // times `factor`, rounded
    kTransposed,     // dims `dim` and `dim` + 1 of equal extent
    kShifted,        // out[i] = in[i + amount] along `dim`, the edge repeated
    kRotated,        // the same, around the end
    kReversed,       // along `dim`
    kHalvesSwapped,  // along `dim`
    kInterleaved,    // along `dim`: the halves' elements alternate
    kParted,         // along `dim`: even elements first; undoes kInterleaved
    kBroadcast,      // index 0 of `dim` everywhere
    kPermuted,       // out[i] = in[source[i]] along `dim`
    kToBf16,
    kToBf16Rz,
    kToF16,
    kFlushed,   // subnormals are zeros of their sign
    kUnsigned,  // -0 is +0
    kReplaced,  // by the tensor `other`
  };
  Kind kind = Kind::kZero;
  int dim = -1;
  int64_t amount = 0;
  float factor = 1;
  std::string other = {};            // "inputs/state"
  std::vector<int64_t> source = {};  // of kPermuted

  bool operator==(const Transform&) const = default;
};

/// It moves slices along one dimension.
bool MapsIndices(const Transform& transform);
/// Where it takes slice `i` of `extent` from. Throws std::logic_error unless MapsIndices.
int64_t SourceIndex(const Transform& transform, int64_t extent, int64_t i);

/// Those that a tensor of this type and shape can undergo, cheapest and likeliest first; but
/// kReplaced and kPermuted.
std::vector<Transform> TransformsOf(const TensorSpec& spec);

/// Orders of a table of integers, such as whose slot is which.
std::vector<Transform> TableTransformsOf(const TensorSpec& spec);

/// `other`: the tensor of kReplaced, of the same type and shape.
Tensor Apply(const Transform& transform, const Tensor& tensor, const Tensor* other = nullptr);

/// "shifted by 1 along token", "transposed (key, value)", "inputs/state in its place".
std::string Text(const Transform& transform, const TensorSpec& spec);

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_EXPLAIN_TRANSFORM_H_
