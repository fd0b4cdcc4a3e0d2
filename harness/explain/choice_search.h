// The choices of a contract that give the observed bits, found stage by stage.
#ifndef SAMEBITS_HARNESS_EXPLAIN_CHOICE_SEARCH_H_
#define SAMEBITS_HARNESS_EXPLAIN_CHOICE_SEARCH_H_

#include <vector>

#include "harness/explain/stage_runner.h"

namespace samebits::harness {

/// Changes found together, at one tensor: one choice, or two that meet in its stage.
struct ChoiceStep {
  Hypothesis changes;
  std::vector<Hypothesis> alternatives;  // that give the same bits in the sample
};

struct ChoiceAnswer {
  std::vector<ChoiceStep> steps;
  std::vector<bool> unexplained;  // per target: no choice, and no two, explain it

  Hypothesis changes() const;
};

/// Looks at the sample alone.
class ChoiceSearch {
 public:
  explicit ChoiceSearch(StageRunner* runner);
  ChoiceAnswer Run();

 private:
  struct Candidate {
    Hypothesis changes;
    Outcome outcome;  // together with what was found before
  };

  /// Changes that act on the target and on no choice that was found before.
  std::vector<Deviation> ActingOn(size_t target) const;
  void Try(size_t target, const Hypothesis& changes, std::vector<Candidate>* candidates);
  std::vector<Candidate> Singles(size_t target);
  std::vector<Candidate> Pairs(size_t target);
  bool Breaks(const Outcome& outcome) const;
  int64_t Left(const Outcome& outcome) const;
  int Rank(const Hypothesis& changes) const;
  void Accept(std::vector<Candidate> candidates);

  StageRunner& runner_;
  std::vector<Deviation> changes_;
  std::vector<Outcome> singles_;  // of each change alone
  Outcome base_, now_;            // without a change, with what was found
  Hypothesis found_;
  ChoiceAnswer answer_;
};

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_EXPLAIN_CHOICE_SEARCH_H_
