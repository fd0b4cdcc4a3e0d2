#include "harness/explain/local_search.h"

#include <algorithm>
#include <utility>

#include "harness/compare/element.h"
#include "harness/explain/regions.h"
#include "harness/explain/result_changes.h"
#include "harness/explain/scalar_search.h"

namespace samebits::harness {
namespace {

using Kind = Deviation::Kind;

constexpr int64_t kRunsOfScalars = 120;

/// Such a change of an operand shows in few places; others show in most of what depends on it.
bool IsRare(const Transform& transform) {
  return transform.kind == Transform::Kind::kFlushed ||
         transform.kind == Transform::Kind::kUnsigned;
}

Deviation OperandDeviation(const Tensor& operand, Transform transform) {
  Deviation change = {Kind::kOperand, FullName(operand.spec), "", "", std::move(transform)};
  change.to = Text(change.transform, operand.spec);
  return change;
}

}  // namespace

LocalSearch::LocalSearch(StageRunner* runner, Effort* effort, Hypothesis found)
    : runner_(*runner), effort_(*effort), found_(std::move(found)) {
  Refresh();
}

void LocalSearch::Refresh() { runner_.Mark(found_); }

Hypothesis LocalSearch::With(const Deviation& change) const {
  Hypothesis hypothesis = found_;
  std::erase_if(hypothesis,
                [&](const Deviation& c) { return c.kind == change.kind && c.name == change.name; });
  hypothesis.push_back(change);
  return hypothesis;
}

void LocalSearch::TryAll(size_t target, const std::string& what,
                         const std::vector<Deviation>& changes, LocalAnswer* whole,
                         LocalAnswer* part) {
  const int64_t marked = runner_.marked(target);
  if (marked == 0) return;  // nothing of it is in the sample
  const double share = static_cast<double>(target + 1) / static_cast<double>(runner_.targets());
  effort_.Begin(what + " at " + runner_.name(target), static_cast<int64_t>(changes.size()));
  int64_t tried = 0;
  for (const Deviation& change : changes) {
    if (effort_.Spent(kShareOfChoices + (1 - kShareOfChoices) * share)) break;
    ++tried;
    const Hypothesis hypothesis = With(change);
    if (runner_.RunProbe(hypothesis).marked[target] > 0) continue;
    const Outcome outcome = runner_.RunSample(hypothesis);
    if (outcome.differing[target] == 0) {
      whole->changes.push_back(change);
    } else if (outcome.marked[target] == 0 && marked >= kFewElements) {
      part->changes.push_back(change);
    }
  }
  effort_.Tried(tried, static_cast<int64_t>(changes.size()), what, runner_.name(target));
}

/// Tables of slots or counts: other orders that the kernel may be given.
void LocalSearch::AddTableDeviations(size_t target, const Tensor& table,
                                     std::vector<Deviation>* changes) {
  const Evidence& evidence = runner_.evidence();
  if (table.spec.role != Role::kInput) return;
  const uint64_t before = runner_.RunAll(found_).hash[target];
  bool first = true;
  TensorSet inputs = evidence.inputs;
  for (const Transform& transform : TableTransformsOf(table.spec)) {
    Tensor& changed = inputs.At(Role::kInput, table.spec.name);
    changed = Apply(transform, table);
    if (changed.data == table.data) continue;
    try {
      evidence.kernel->CheckInputs(evidence.config, inputs);
    } catch (const ConfigError&) {
      continue;  // no table of this kernel
    }
    Deviation change = OperandDeviation(table, transform);
    if (std::exchange(first, false) && runner_.RunAll(With(change)).hash[target] == before) {
      return;  // the target does not depend on it
    }
    changes->push_back(std::move(change));
  }
}

/// A zero in place of an operand tells whether the target depends on it at all.
std::vector<Deviation> LocalSearch::OperandDeviations(size_t target) {
  std::vector<Deviation> changes;
  const std::vector<const Tensor*> operands = runner_.operands();
  effort_.Begin("operands of " + runner_.name(target), static_cast<int64_t>(operands.size()) + 1);
  const uint64_t before = runner_.RunProbe(found_).hash[target];
  const bool few = runner_.marked(target) < kFewElements;
  for (const Tensor* operand : operands) {
    if (operand->spec.dtype == DType::kI32) {
      if (!few) AddTableDeviations(target, *operand, &changes);
      continue;
    }
    const Deviation zero = OperandDeviation(*operand, {.kind = Transform::Kind::kZero});
    if (runner_.RunProbe(With(zero)).hash[target] == before) continue;
    for (Transform& transform : TransformsOf(operand->spec)) {
      if (few && !IsRare(transform)) continue;
      changes.push_back(OperandDeviation(*operand, std::move(transform)));
    }
    for (const Tensor* other : operands) {
      if (few || other == operand || other->spec.dtype != operand->spec.dtype ||
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
                                 const std::vector<Deviation>& first, bool places_known) {
  LocalAnswer whole, part = {{}, true};
  const Evidence& evidence = runner_.evidence();
  runner_.RunSample(found_);
  runner_.AimProbe(target);
  TryAll(target, "known changes", first, &whole, &part);
  if (whole.changes.empty()) {
    TryAll(target, "scalars and modes", AxisDeviations(*evidence.kernel, evidence.config), &whole,
           &part);
  }
  if (whole.changes.empty() && runner_.marked(target) > 0) {
    effort_.Begin("values of scalars at " + runner_.name(target), kRunsOfScalars);
    TryAll(target, "values of scalars", ScalarSearch(&runner_, target, found_).Solve(), &whole,
           &part);
  }
  TryResults(target, computed, differing, &whole, &part);
  // Nothing but zeros has the factor 0 as well: what was stored is the plainer statement.
  std::ranges::stable_partition(whole.changes, [](const Deviation& change) {
    return change.kind == Kind::kResult &&
           (change.transform.kind == Transform::Kind::kZero ||
            change.transform.kind == Transform::Kind::kNeverWritten);
  });
  if (places_known && whole.changes.empty()) return part;
  if (whole.changes.empty()) {
    TryAll(target, "changes of operands", OperandDeviations(target), &whole, &part);
  }
  const bool few = runner_.marked(target) < kFewElements;
  if (whole.changes.empty() && part.changes.empty() && !few) {
    TryAll(target, "choices in places", ChoiceDeviations(*evidence.kernel, evidence.contract),
           &whole, &part);
  }
  return whole.changes.empty() ? part : whole;
}

}  // namespace samebits::harness
