// Solves for the scalar of a configuration that gives the observed bits.
#ifndef SAMEBITS_HARNESS_EXPLAIN_SCALAR_SEARCH_H_
#define SAMEBITS_HARNESS_EXPLAIN_SCALAR_SEARCH_H_

#include <optional>
#include <vector>

#include "harness/explain/stage_runner.h"

namespace samebits::harness {

/// Secants on single elements of the probe (StageRunner::AimProbe), whatever the stage computes.
class ScalarSearch {
 public:
  /// `found`: changes that hold anyway. The runner must outlive the search, and have marks.
  ScalarSearch(StageRunner* runner, size_t target, Hypothesis found);
  /// A value of each real axis that gives every marked element of the probe: the decimal number
  /// with the fewest digits that does. At most some 60 runs per axis.
  std::vector<Deviation> Solve();

 private:
  std::optional<Deviation> Solve(const Axis& axis);
  /// nullopt: no legal configuration, or one of other tensors.
  std::optional<Deviation> DeviationTo(const Axis& axis, double value) const;
  /// Runs; nullopt as above.
  std::optional<double> ValueUnder(const Axis& axis, double value);
  /// The element of the probe that is farthest from what was seen after the last run.
  std::optional<int64_t> Worst() const;
  /// From two values of the axis to one that gives the element, nearly.
  std::optional<double> Secant(const Axis& axis, double a, double b);
  std::optional<Deviation> Simplest(const Axis& axis, double value);

  StageRunner& runner_;
  const size_t target_;
  const Hypothesis found_;
  const Settings& config_;
  int64_t element_ = 0;
  int64_t left_ = 0;  // marked elements of the probe that the last run does not give
};

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_EXPLAIN_SCALAR_SEARCH_H_
