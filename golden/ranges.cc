#include "golden/ranges.h"

#include <algorithm>

namespace samebits::golden {

std::vector<Range> Everything(const TensorSpec& spec) { return {{0, spec.elements()}}; }

int64_t CountOf(const std::vector<Range>& ranges) {
  int64_t count = 0;
  for (const Range& range : ranges) count += range.end - range.begin;
  return count;
}

std::vector<Range> Intersect(const std::vector<Range>& a, const std::vector<Range>& b) {
  std::vector<Range> both;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const Range common = {std::max(a[i].begin, b[j].begin), std::min(a[i].end, b[j].end)};
    if (common.begin < common.end) both.push_back(common);
    a[i].end < b[j].end ? ++i : ++j;
  }
  return both;
}

}  // namespace samebits::golden
