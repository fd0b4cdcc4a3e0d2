#include "harness/explain/local_search.h"

#include <algorithm>

#include "harness/compare/element.h"
#include "harness/explain/result_changes.h"

namespace samebits::harness {
namespace {

using Kind = Deviation::Kind;

/// Fewer elements can fit another computation by chance.
constexpr int64_t kFewElements = 8;

Deviation OperandDeviation(const Tensor& operand, Transform transform) {
  Deviation change = {Kind::kOperand, FullName(operand.spec), "", "", std::move(transform)};
  change.to = Text(change.transform, operand.spec);
  return change;
}

}  // namespace

LocalSearch::LocalSearch(StageRunner* runner, Hypothesis found)
    : runner_(*runner), found_(std::move(found)) {
  runner_.Mark(found_);
  base_ = runner_.RunSample(found_);
}

Outcome LocalSearch::Run(const Deviation& change) {
  Hypothesis hypothesis = found_;
  std::erase_if(hypothesis,
                [&](const Deviation& c) { return c.kind == change.kind && c.name == change.name; });
  hypothesis.push_back(change);
  return runner_.RunSample(hypothesis);
}

void LocalSearch::TryAll(size_t target, const std::vector<Deviation>& changes, LocalAnswer* whole,
                         LocalAnswer* part) {
  const int64_t marked = runner_.marked(target);
  if (marked == 0) return;  // nothing of it is in the sample
  for (const Deviation& change : changes) {
    const Outcome outcome = Run(change);
    if (outcome.differing[target] == 0) {
      whole->changes.push_back(change);
    } else if (outcome.marked[target] == 0 && marked >= kFewElements) {
      part->changes.push_back(change);
    }
  }
}

/// A zero in place of an operand tells whether the target depends on it at all.
std::vector<Deviation> LocalSearch::OperandDeviations(size_t target) {
  std::vector<Deviation> changes;
  const std::vector<const Tensor*> operands = runner_.operands();
  for (const Tensor* operand : operands) {
    if (operand->spec.dtype == DType::kI32) continue;  // slots and counts: not a value
    const Deviation zero = OperandDeviation(*operand, {.kind = Transform::Kind::kZero});
    if (Run(zero).hash[target] == base_.hash[target]) continue;
    for (Transform& transform : TransformsOf(operand->spec)) {
      changes.push_back(OperandDeviation(*operand, std::move(transform)));
    }
    for (const Tensor* other : operands) {
      if (other == operand || other->spec.dtype != operand->spec.dtype ||
          other->spec.shape != operand->spec.shape) {
        continue;
      }
      changes.push_back(OperandDeviation(
          *operand, {.kind = Transform::Kind::kReplaced, .other = FullName(other->spec)}));
    }
  }
  return changes;
}

void LocalSearch::TryResults(size_t target, const Tensor& computed,
                             const std::vector<int64_t>& differing, LocalAnswer* whole,
                             LocalAnswer* part) const {
  const Observation& seen = runner_.evidence().observed[target];
  for (const ResultChange& result :
       FindResultChanges(seen, computed, differing, runner_.operands())) {
    Deviation change = {Kind::kResult, runner_.name(target), "", "", result.transform};
    change.to = Text(change.transform, seen.values.spec);
    (result.everywhere ? whole : part)->changes.push_back(std::move(change));
  }
}

LocalAnswer LocalSearch::ExplainResult(size_t target, const Tensor& computed,
                                       const std::vector<int64_t>& differing) const {
  LocalAnswer whole, part = {{}, true};
  TryResults(target, computed, differing, &whole, &part);
  return whole.changes.empty() ? part : whole;
}

LocalAnswer LocalSearch::Explain(size_t target, const Tensor& computed,
                                 const std::vector<int64_t>& differing,
                                 const std::vector<Deviation>& first) {
  LocalAnswer whole, part = {{}, true};
  const Evidence& evidence = runner_.evidence();
  TryAll(target, first, &whole, &part);
  if (whole.changes.empty()) {
    TryAll(target, AxisDeviations(*evidence.kernel, evidence.config), &whole, &part);
  }
  TryResults(target, computed, differing, &whole, &part);
  if (whole.changes.empty()) TryAll(target, OperandDeviations(target), &whole, &part);
  if (whole.changes.empty() && part.changes.empty()) {
    TryAll(target, ChoiceDeviations(*evidence.kernel, evidence.contract), &whole, &part);
  }
  return whole.changes.empty() ? part : whole;
}

}  // namespace samebits::harness
