// What may have happened to one tensor whose bits no choice of the contract gives: a scalar, an
// operand or the result itself was another one, or a choice holds only in some places.
#ifndef SAMEBITS_HARNESS_EXPLAIN_LOCAL_SEARCH_H_
#define SAMEBITS_HARNESS_EXPLAIN_LOCAL_SEARCH_H_

#include <vector>

#include "harness/explain/effort.h"
#include "harness/explain/stage_runner.h"

namespace samebits::harness {

struct LocalAnswer {
  std::vector<Deviation> changes;  // each alone explains it; the likeliest first; empty: none does
  bool in_part = false;            // in the elements that differ; those that agree do not follow it
};

class LocalSearch {
 public:
  /// `found`: the changes of choices that hold for all stages. Both must outlive the search.
  LocalSearch(StageRunner* runner, Effort* effort, Hypothesis found);
  /// What is given has changed (StageRunner::Withhold).
  void Refresh();
  /// `computed`, `differing`: of the whole target under `found`. `first`: tried before all others.
  /// `places_known`: choices of several places explain it, so that operands are not asked.
  LocalAnswer Explain(size_t target, const Tensor& computed, const std::vector<int64_t>& differing,
                      const std::vector<Deviation>& first, bool places_known);

  /// The result alone was stored or captured in another way.
  LocalAnswer ExplainResult(size_t target, const Tensor& computed,
                            const std::vector<int64_t>& differing) const;

 private:
  void TryResults(size_t target, const Tensor& computed, const std::vector<int64_t>& differing,
                  LocalAnswer* whole, LocalAnswer* part) const;
  /// Runs the changes, keeps those that explain the whole target, and those that explain what
  /// differs.
  void TryAll(size_t target, const std::string& what, const std::vector<Deviation>& changes,
              LocalAnswer* whole, LocalAnswer* part);
  std::vector<Deviation> OperandDeviations(size_t target);
  void AddTableDeviations(size_t target, const Tensor& table, std::vector<Deviation>* changes);
  Hypothesis With(const Deviation& change) const;

  StageRunner& runner_;
  Effort& effort_;
  const Hypothesis found_;
};

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_EXPLAIN_LOCAL_SEARCH_H_
