// Whether elements lie inside what any order of the same float32 operations can give.
#ifndef SAMEBITS_HARNESS_EXPLAIN_BOUNDS_H_
#define SAMEBITS_HARNESS_EXPLAIN_BOUNDS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/explain/stage_runner.h"

namespace samebits::harness {

struct OrderBound {
  std::string sum;      // whose order is free (model/sum.h)
  int terms = 0;        // n, the start value included
  int64_t checked = 0;  // elements, all of them inside
  double worst = 0;     // share of its bound that the farthest of them needs
};

/// A sum of n terms in any order, each product rounded or fused, differs from the exact one by at
/// most n u / (1 - n u) times the sum of the magnitudes of its terms, u = 2^-24 (n - 1 for values);
/// products below the normal range by 2^-150 each more. Terms that are zero do not count. Where the
/// element is not the sum itself, it must lie between the results that the stage makes of the ends
/// of that interval: the stage is taken for monotone there. Nothing where an element is outside, or
/// makes no such sum, or makes several of different names. `differing`: elements of the target,
/// evenly spread ones of which are checked, `limit` at most. The last run must be a RunAll under
/// `found`.
std::optional<OrderBound> WithinBounds(const StageRunner& runner, const Hypothesis& found,
                                       size_t target, const std::vector<int64_t>& differing,
                                       size_t limit);

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_EXPLAIN_BOUNDS_H_
