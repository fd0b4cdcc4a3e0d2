// Parts of a tensor as ranges of row-major indices.
#ifndef SAMEBITS_GOLDEN_RANGES_H_
#define SAMEBITS_GOLDEN_RANGES_H_

#include <cstdint>
#include <vector>

#include "model/tensor.h"

namespace samebits::golden {

/// Row-major indices [begin, end).
struct Range {
  int64_t begin = 0, end = 0;
  bool operator==(const Range&) const = default;
};

/// All elements.
std::vector<Range> Everything(const TensorSpec& spec);
int64_t CountOf(const std::vector<Range>& ranges);
/// What both have; all ascending.
std::vector<Range> Intersect(const std::vector<Range>& a, const std::vector<Range>& b);

}  // namespace samebits::golden

#endif  // SAMEBITS_GOLDEN_RANGES_H_
