#include "harness/explain/choice_search.h"

#include <algorithm>

namespace samebits::harness {
namespace {

constexpr int kMaxPairs = 1500;  // runs of a sample

bool Names(const Hypothesis& hypothesis, const std::string& choice) {
  return std::ranges::any_of(hypothesis, [&](const Deviation& c) { return c.name == choice; });
}

Hypothesis Joined(Hypothesis a, const Hypothesis& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace

Hypothesis ChoiceAnswer::changes() const {
  Hypothesis all;
  for (const ChoiceStep& step : steps) all = Joined(std::move(all), step.changes);
  return all;
}

ChoiceSearch::ChoiceSearch(StageRunner* runner)
    : runner_(*runner),
      changes_(ChoiceDeviations(*runner->evidence().kernel, runner->evidence().contract)) {}

ChoiceAnswer ChoiceSearch::Run() {
  base_ = now_ = runner_.RunSample({});
  std::vector<bool> guilty;
  for (const int64_t differing : base_.differing) guilty.push_back(differing > 0);
  for (const Deviation& change : changes_) singles_.push_back(runner_.RunSample({change}, guilty));
  answer_.unexplained.assign(runner_.targets(), false);
  for (size_t target = 0; target < runner_.targets(); ++target) {
    if (now_.differing[target] == 0) continue;
    std::vector<Candidate> candidates = Singles(target);
    if (candidates.empty()) candidates = Pairs(target);
    if (candidates.empty()) {
      answer_.unexplained[target] = true;
    } else {
      Accept(std::move(candidates));
    }
  }
  return answer_;
}

std::vector<Deviation> ChoiceSearch::ActingOn(size_t target) const {
  std::vector<Deviation> acting;
  for (size_t i = 0; i < changes_.size(); ++i) {
    if (singles_[i].hash[target] != base_.hash[target] && !Names(found_, changes_[i].name)) {
      acting.push_back(changes_[i]);
    }
  }
  return acting;
}

void ChoiceSearch::Try(size_t target, const Hypothesis& changes,
                       std::vector<Candidate>* candidates) {
  Outcome outcome = runner_.RunSample(Joined(found_, changes));
  if (outcome.differing[target] > 0 || Breaks(outcome)) return;
  candidates->push_back({changes, std::move(outcome)});
}

std::vector<ChoiceSearch::Candidate> ChoiceSearch::Singles(size_t target) {
  std::vector<Candidate> candidates;
  for (const Deviation& change : ActingOn(target)) Try(target, {change}, &candidates);
  return candidates;
}

std::vector<ChoiceSearch::Candidate> ChoiceSearch::Pairs(size_t target) {
  std::vector<Candidate> candidates;
  const std::vector<Deviation> acting = ActingOn(target);
  int tried = 0;
  for (size_t a = 0; a < acting.size(); ++a) {
    for (size_t b = a + 1; b < acting.size(); ++b) {
      if (acting[a].name == acting[b].name || ++tried > kMaxPairs) continue;
      Try(target, {acting[a], acting[b]}, &candidates);
    }
  }
  return candidates;
}

bool ChoiceSearch::Breaks(const Outcome& outcome) const {
  for (size_t t = 0; t < outcome.differing.size(); ++t) {
    if (outcome.differing[t] > 0 && now_.differing[t] == 0) return true;
  }
  return false;
}

int64_t ChoiceSearch::Left(const Outcome& outcome) const {
  int64_t left = 0;
  for (size_t t = 0; t < outcome.differing.size(); ++t) {
    if (!answer_.unexplained[t]) left += outcome.differing[t];
  }
  return left;
}

/// Of changes that give the same bits, another order is the mildest statement; else the one that
/// acts latest, which is the most specific.
int ChoiceSearch::Rank(const Hypothesis& changes) const {
  const auto choices = runner_.evidence().kernel->choices();
  int rank = 0;
  for (const Deviation& change : changes) {
    const auto at = std::ranges::find(choices, change.name, &Choice::name);
    const int latest = static_cast<int>(choices.end() - at);
    rank += latest + static_cast<int>(choices.size()) * static_cast<int>(at->kind);
  }
  return rank;
}

void ChoiceSearch::Accept(std::vector<Candidate> candidates) {
  std::ranges::stable_sort(candidates, {}, [&](const Candidate& c) {
    return std::pair(Left(c.outcome), Rank(c.changes));
  });
  ChoiceStep step = {candidates.front().changes, {}};
  for (size_t i = 1; i < candidates.size(); ++i) {
    if (candidates[i].outcome.differing == candidates.front().outcome.differing) {
      step.alternatives.push_back(candidates[i].changes);
    }
  }
  now_ = std::move(candidates.front().outcome);
  found_ = Joined(std::move(found_), step.changes);
  answer_.steps.push_back(std::move(step));
}

}  // namespace samebits::harness
