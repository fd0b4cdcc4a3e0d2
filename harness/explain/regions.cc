#include "harness/explain/regions.h"

#include <algorithm>
#include <map>

namespace samebits::harness {
namespace {

constexpr size_t kMaxRegions = 3;

using Counts = std::map<int64_t, int64_t>;  // by cell

Counts Count(int64_t cell, const std::vector<int64_t>& elements) {
  Counts counts;
  for (const int64_t index : elements) ++counts[index / cell];
  return counts;
}

int64_t At(const Counts& counts, int64_t cell) {
  const auto found = counts.find(cell);
  return found == counts.end() ? 0 : found->second;
}

/// The elements of `rest` that lie in cells that the choice fits and that it gives.
std::vector<int64_t> Explained(int64_t cell, const std::vector<int64_t>& rest, const Counts& before,
                               const std::vector<int64_t>& under) {
  const Counts left = Count(cell, under);
  std::vector<int64_t> explained;
  for (const int64_t index : rest) {
    const bool fits = IsRest(At(left, index / cell), At(before, index / cell));
    if (fits && !std::ranges::binary_search(under, index)) explained.push_back(index);
  }
  return explained;
}

}  // namespace

std::optional<Regions> CoverRegions(int64_t cell, const std::vector<int64_t>& differing,
                                    const std::vector<std::vector<int64_t>>& under) {
  const Counts before = Count(cell, differing);
  Regions found = {{}, differing};
  while (!found.rest.empty() && found.regions.size() < kMaxRegions) {
    Region best;
    for (size_t c = 0; c < under.size(); ++c) {
      std::vector<int64_t> explained = Explained(cell, found.rest, before, under[c]);
      if (explained.size() > best.explained.size()) best = {c, std::move(explained)};
    }
    if (std::ssize(best.explained) < kFewElements) break;
    std::vector<int64_t> rest;
    std::ranges::set_difference(found.rest, best.explained, std::back_inserter(rest));
    found.rest = std::move(rest);
    found.regions.push_back(std::move(best));
  }
  const auto left = static_cast<int64_t>(found.rest.size());
  if (found.regions.empty() || !IsRest(left, static_cast<int64_t>(differing.size()))) {
    return std::nullopt;
  }
  return found;
}

}  // namespace samebits::harness
