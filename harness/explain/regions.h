// One tensor, several computations: which choice holds where.
#ifndef SAMEBITS_HARNESS_EXPLAIN_REGIONS_H_
#define SAMEBITS_HARNESS_EXPLAIN_REGIONS_H_

#include <cstdint>
#include <optional>
#include <vector>

namespace samebits::harness {

/// Fewer elements can fit another computation by chance.
inline constexpr int64_t kFewElements = 8;

struct Region {
  size_t choice = 0;               // index into `under`
  std::vector<int64_t> explained;  // differing elements, ascending
};
struct Regions {
  std::vector<Region> regions;  // most elements first
  std::vector<int64_t> rest;    // differing elements that no choice gives
};

/// `differing`: elements that differ without a choice; `under[c]`: those that differ with choice c;
/// all ascending. Cells of `cell` consecutive elements follow one choice each; one that leaves at
/// most an eighth of a cell fits it. Nothing if more than three are needed, if one of them has
/// fewer than kFewElements to show, or if more than an eighth of `differing` is left.
std::optional<Regions> CoverRegions(int64_t cell, const std::vector<int64_t>& differing,
                                    const std::vector<std::vector<int64_t>>& under);

/// Little enough to be another fault, on top of the one that was found.
inline bool IsRest(int64_t left, int64_t differing) { return left * 8 <= differing; }

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_EXPLAIN_REGIONS_H_
