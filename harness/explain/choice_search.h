// The choices of a contract that give the observed bits, found stage by stage.
#ifndef SAMEBITS_HARNESS_EXPLAIN_CHOICE_SEARCH_H_
#define SAMEBITS_HARNESS_EXPLAIN_CHOICE_SEARCH_H_

#include <optional>
#include <vector>

#include "harness/explain/effort.h"
#include "harness/explain/regions.h"
#include "harness/explain/stage_runner.h"

namespace samebits::harness {

/// Changes found together, at one tensor: one choice, or two that meet in its stage.
struct ChoiceStep {
  Hypothesis changes;
  std::vector<Hypothesis> alternatives;  // that give the same bits in the sample
};

struct ChoiceAnswer {
  std::vector<ChoiceStep> steps;
  std::vector<bool>
      unexplained;  // per target: something is left that no choice, and no two, explain
  /// Per target: choices that hold in some places each; empty where that is not what is seen.
  std::vector<Hypothesis> regional;

  Hypothesis changes() const;
};

/// Row-major elements that one place computes with one choice (CoverRegions).
int64_t CellOf(const StageRunner& runner, size_t target);

/// Looks at the sample alone.
class ChoiceSearch {
 public:
  /// Both must outlive the search.
  ChoiceSearch(StageRunner* runner, Effort* effort);
  ChoiceAnswer Run();

 private:
  struct Candidate {
    Hypothesis changes;
    Outcome outcome;                 // together with what was found before
    std::vector<int64_t> differing;  // elements of the target, in the sample
  };
  using Candidates = std::vector<Candidate>;

  void Search(size_t target);
  /// Changes that act on the target and on no choice that was found before.
  std::vector<Deviation> ActingOn(size_t target) const;
  /// Changes of what leads to the target that leave it as it is, each alone: another one can bring
  /// them to light, such as a rounding that is left out.
  std::vector<Deviation> HiddenAt(size_t target) const;
  Candidate Try(size_t target, const Hypothesis& changes);
  bool Explains(size_t target, const Candidate& candidate) const;
  /// Leaves little of the target, and breaks nothing.
  bool Almost(const Candidate& candidate) const;
  Candidates Singles(size_t target);
  /// Two of the acting changes, or one and a hidden one; with `one`, that and another.
  Candidates Pairs(size_t target, const Deviation* one);
  bool IsLayout(const Deviation& change) const;
  std::vector<Hypothesis> PairsOf(size_t target, const Deviation* one) const;
  /// Choices of different places; or, where that gives all bits, several everywhere.
  bool FindRegions(size_t target, const Candidates& singles);
  bool Breaks(const Outcome& outcome) const;
  int64_t Left(const Outcome& outcome) const;
  int Rank(const Hypothesis& changes) const;
  void Accept(Candidates candidates);

  StageRunner& runner_;
  Effort& effort_;
  std::vector<Deviation> changes_;
  std::vector<Outcome> singles_;  // of each change alone
  Outcome base_, now_;            // without a change, with what was found
  std::vector<int64_t> left_;     // elements of the target that differ now, in the sample
  Hypothesis found_;
  ChoiceAnswer answer_;
};

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_EXPLAIN_CHOICE_SEARCH_H_
