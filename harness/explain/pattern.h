// Where and how the elements of a tensor differ, in the fewest words that are true.
#ifndef SAMEBITS_HARNESS_EXPLAIN_PATTERN_H_
#define SAMEBITS_HARNESS_EXPLAIN_PATTERN_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/explain/evidence.h"
#include "model/kernel.h"

namespace samebits::harness {

/// Along one named axis (a dimension, or the warp, lane or register of the kernel's Owner): the
/// coordinates with a difference.
struct AxisPattern {
  std::string axis;
  int64_t extent = 0;    // coordinates that were captured
  std::string text;      // "head=3", "token>=2", "every 4th value from 1", "" where all of them are
  int64_t affected = 0;  // coordinates
};

struct Pattern {
  DType dtype = DType::kF32;
  int64_t differing = 0, elements = 0;   // of the captured ones
  std::vector<AxisPattern> axes = {};    // dimensions of the tensor, outermost first
  std::vector<AxisPattern> places = {};  // warp, lane, register; empty without an owner
  bool dense = false;                    // every element at those coordinates differs
  std::optional<uint64_t> max_ulp = {};
  std::array<int64_t, 32> flips{};  // elements per bit position that differs
  int64_t not_numbers = 0;          // differing elements of which one is NaN or infinite
};

/// `differing`: row-major, ascending, not empty.
Pattern FindPattern(const Kernel& kernel, const Observation& seen, const Tensor& computed,
                    const std::vector<int64_t>& differing);

/// "head=3, token>=2: 512 of 2048 elements, at most 2 ulp, only the 2 lowest bits"
std::string Text(const Pattern& pattern);

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_EXPLAIN_PATTERN_H_
