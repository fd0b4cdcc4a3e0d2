// Another tree of a sum, that no choice names, for a tensor that no choice explains.
#ifndef SAMEBITS_HARNESS_EXPLAIN_TREE_SEARCH_H_
#define SAMEBITS_HARNESS_EXPLAIN_TREE_SEARCH_H_

#include <vector>

#include "harness/explain/stage_runner.h"
#include "harness/explain/traced_element.h"
#include "model/order/family.h"

namespace samebits::harness {

/// Trees of the family (model/order/family.h) are held against a few elements first, by the traces
/// of these; what fits them all is held against the sample.
class TreeSearch {
 public:
  /// `found`: the changes that hold for all stages.
  TreeSearch(StageRunner* runner, Hypothesis found) : runner_(*runner), found_(std::move(found)) {}

  /// Orders of one sum of the target's stage that give its elements in the sample, each alone:
  /// those that fuse products where the contract does first, then the simplest. The last run must
  /// be a RunAll under `found`.
  std::vector<Deviation> Explain(size_t target);

 private:
  std::vector<TracedElement> Trace(size_t target) const;
  void Try(const Sum& sum, const std::vector<TracedElement>& elements,
           std::vector<Deviation>* fitting) const;

  StageRunner& runner_;
  const Hypothesis found_;
};

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_EXPLAIN_TREE_SEARCH_H_
