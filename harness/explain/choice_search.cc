#include "harness/explain/choice_search.h"

#include <algorithm>

namespace samebits::harness {
namespace {

constexpr int64_t kMaxPairs = 1500;  // runs of a piece

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

int64_t CellOf(const StageRunner& runner, size_t target) {
  const std::vector<int64_t>& shape = runner.spec(target).shape;
  const int64_t row = shape.empty() ? 1 : std::max<int64_t>(1, shape.back());
  const int64_t page = shape.size() < 2 ? row : row * shape[shape.size() - 2];
  const int64_t block = runner.pieces_of(target).block;
  return block <= page ? block : row;
}

ChoiceSearch::ChoiceSearch(StageRunner* runner, Effort* effort)
    : runner_(*runner),
      effort_(*effort),
      changes_(ChoiceDeviations(*runner->evidence().kernel, runner->evidence().contract)) {}

ChoiceAnswer ChoiceSearch::Run() {
  effort_.Begin("choices", static_cast<int64_t>(changes_.size()) + 1);
  base_ = now_ = runner_.RunSample({});
  std::vector<bool> guilty;
  for (const int64_t differing : base_.differing) guilty.push_back(differing > 0);
  for (const Deviation& change : changes_) singles_.push_back(runner_.RunSample({change}, guilty));
  answer_.unexplained.assign(runner_.targets(), false);
  answer_.regional.assign(runner_.targets(), {});
  for (size_t target = 0; target < runner_.targets(); ++target) {
    if (now_.differing[target] > 0) Search(target);
  }
  return answer_;
}

/// One choice that explains all of the target; else one that leaves little, with a second one if
/// that is what was left; else a choice per place; else any two.
void ChoiceSearch::Search(size_t target) {
  runner_.RunSample(found_);
  left_ = runner_.DifferingInSample(target);
  runner_.AimProbe(target);
  const Candidates singles = Singles(target);
  Candidates whole, almost;
  for (const Candidate& single : singles) {
    if (Explains(target, single)) whole.push_back(single);
    if (Almost(single)) almost.push_back(single);
  }
  if (!whole.empty()) return Accept(std::move(whole));
  if (!almost.empty()) {
    std::ranges::stable_sort(almost, {}, [](const Candidate& c) { return c.differing.size(); });
    whole = Pairs(target, &almost.front().changes.front());
    if (!whole.empty()) return Accept(std::move(whole));
    const size_t least = almost.front().differing.size();
    std::erase_if(almost, [&](const Candidate& c) { return c.differing.size() > least; });
    answer_.unexplained[target] = true;
    return Accept(std::move(almost));
  }
  if (FindRegions(target, singles)) return;
  whole = Pairs(target, nullptr);
  if (!whole.empty()) return Accept(std::move(whole));
  answer_.unexplained[target] = true;
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

std::vector<Deviation> ChoiceSearch::HiddenAt(size_t target) const {
  const Evidence& evidence = runner_.evidence();
  const auto choices = evidence.kernel->choices();
  std::vector<std::string> flow;  // taps and outputs
  for (const TensorSpec& spec : Tensors(evidence.kernel->Plan(evidence.config, true))) {
    if (spec.role != Role::kInput) flow.push_back(spec.name);
  }
  const auto place = [&](const std::string& tensor) { return std::ranges::find(flow, tensor); };
  const std::vector<Deviation> acting = ActingOn(target);
  std::vector<Deviation> hidden;
  for (const Deviation& change : changes_) {
    const auto choice = std::ranges::find(choices, change.name, &Choice::name);
    const bool before = place(choice->first_tap) <= place(runner_.spec(target).name);
    const bool acts = std::ranges::find(acting, change) != acting.end();
    if (before && !acts && !Names(found_, change.name)) hidden.push_back(change);
  }
  return hidden;
}

ChoiceSearch::Candidate ChoiceSearch::Try(size_t target, const Hypothesis& changes) {
  Outcome outcome = runner_.RunSample(Joined(found_, changes));
  return {changes, std::move(outcome), runner_.DifferingInSample(target)};
}

bool ChoiceSearch::Explains(size_t target, const Candidate& candidate) const {
  return candidate.outcome.differing[target] == 0 && !Breaks(candidate.outcome);
}

bool ChoiceSearch::Almost(const Candidate& candidate) const {
  const auto left = static_cast<int64_t>(candidate.differing.size());
  const auto differing = static_cast<int64_t>(left_.size());
  return differing >= kFewElements && IsRest(left, differing) && !Breaks(candidate.outcome);
}

ChoiceSearch::Candidates ChoiceSearch::Singles(size_t target) {
  Candidates candidates;
  for (const Deviation& change : ActingOn(target)) candidates.push_back(Try(target, {change}));
  return candidates;
}

bool ChoiceSearch::IsLayout(const Deviation& change) const {
  const auto choices = runner_.evidence().kernel->choices();
  return std::ranges::find(choices, change.name, &Choice::name)->kind == ChoiceKind::kLayout;
}

/// What explains much alone is likeliest to explain the rest with another.
std::vector<Hypothesis> ChoiceSearch::PairsOf(size_t target, const Deviation* one) const {
  const std::vector<Deviation> acting = ActingOn(target);
  const bool few = std::ssize(left_) < kFewElements;
  std::vector<std::pair<int64_t, Hypothesis>> pairs;
  const auto alone = [&](const Deviation& change) {
    return singles_[std::ranges::find(changes_, change) - changes_.begin()].differing[target];
  };
  for (size_t a = 0; a < acting.size(); ++a) {
    for (size_t b = a + 1; b < acting.size(); ++b) {
      if (acting[a].name == acting[b].name) continue;
      if (one != nullptr && acting[a] != *one && acting[b] != *one) continue;
      // Another layout moves more than a few elements.
      if (few && (IsLayout(acting[a]) || IsLayout(acting[b]))) continue;
      pairs.push_back({alone(acting[a]) + alone(acting[b]), {acting[a], acting[b]}});
    }
  }
  std::ranges::stable_sort(pairs, {}, [](const auto& pair) { return pair.first; });
  const size_t shown = pairs.size();
  // A few elements fit by chance.
  const std::vector<Deviation> hidden = few ? std::vector<Deviation>() : HiddenAt(target);
  for (const Deviation& a : acting) {
    if (one != nullptr && a != *one) continue;
    for (const Deviation& b : hidden) {
      if (a.name != b.name) pairs.push_back({alone(a), {a, b}});
    }
  }
  std::ranges::stable_sort(pairs.begin() + static_cast<std::ptrdiff_t>(shown), pairs.end(), {},
                           [](const auto& pair) { return pair.first; });
  std::vector<Hypothesis> list;
  for (auto& [left, pair] : pairs) list.push_back(std::move(pair));
  return list;
}

ChoiceSearch::Candidates ChoiceSearch::Pairs(size_t target, const Deviation* one) {
  // Every tensor has its share of the limit.
  const double share = static_cast<double>(target + 1) / static_cast<double>(runner_.targets());
  const std::vector<Hypothesis> pairs = PairsOf(target, one);
  const auto all = static_cast<int64_t>(pairs.size());
  effort_.Begin("pairs of choices at " + runner_.name(target), all);
  Candidates candidates;
  int64_t tried = 0;
  for (const Hypothesis& pair : pairs) {
    if (tried == kMaxPairs || effort_.Spent(kShareOfChoices * share)) break;
    ++tried;
    if (runner_.RunProbe(Joined(found_, pair)).differing[target] > 0) continue;
    Candidate candidate = Try(target, pair);
    if (Explains(target, candidate)) candidates.push_back(std::move(candidate));
  }
  if (candidates.empty()) effort_.Tried(tried, all, "pairs of choices", runner_.name(target));
  return candidates;
}

bool ChoiceSearch::FindRegions(size_t target, const Candidates& singles) {
  std::vector<std::vector<int64_t>> under;
  for (const Candidate& single : singles) under.push_back(single.differing);
  const auto cover = CoverRegions(CellOf(runner_, target), left_, under);
  if (!cover) return false;
  Hypothesis together;
  for (const Region& region : cover->regions) {
    together.push_back(singles[region.choice].changes.front());
  }
  const bool twice = std::ranges::any_of(together, [&](const Deviation& change) {
    return std::ranges::count(together, change.name, &Deviation::name) > 1;
  });
  if (together.size() > 1 && !twice) {
    Candidate whole = Try(target, together);
    if (Explains(target, whole)) {
      Accept({std::move(whole)});
      return true;
    }
  }
  answer_.unexplained[target] = true;
  answer_.regional[target] = std::move(together);
  return true;
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

void ChoiceSearch::Accept(Candidates candidates) {
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
