#include "harness/explain/explain.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "harness/compare/element.h"
#include "harness/explain/choice_search.h"
#include "harness/explain/local_search.h"
#include "harness/explain/permutation.h"
#include "harness/explain/regions.h"
#include "harness/explain/stage_runner.h"
#include "harness/explain/tree_search.h"

namespace samebits::harness {
namespace {

constexpr int kRounds = 4;                  // of counterexamples
constexpr size_t kCheckedAlternatives = 6;  // on all elements
constexpr size_t kBoundElements = 4096;     // that are held against what another order can give

Hypothesis Without(const Hypothesis& all, const Hypothesis& some) {
  Hypothesis rest;
  for (const Deviation& change : all) {
    if (std::ranges::find(some, change) == some.end()) rest.push_back(change);
  }
  return rest;
}

Hypothesis With(Hypothesis all, const Hypothesis& more) {
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

class Explainer {
 public:
  Explainer(const Evidence& evidence, const ExplainSettings& settings)
      : evidence_(evidence),
        settings_(settings),
        runner_(evidence, settings.threads),
        effort_(&runner_, settings.limit, settings.progress),
        recording_(runner_.targets()) {}

  Explanation Run() {
    effort_.Begin("contract", 1);
    base_ = runner_.RunAll({});
    AddTensors();
    if (base_.total() == 0) return std::move(result_);
    if (FindGoldenInputs() || FindOrder()) {
      Conclude();
      return std::move(result_);
    }
    runner_.ExtendSample();
    WithholdTaps();
    FindChoices();
    CorrectStrays();
    FindTrees();
    FindName();
    AddChoiceFindings();
    AddLocalFindings();
    Conclude();
    return std::move(result_);
  }

 private:
  void AddTensors() {
    for (size_t t = 0; t < runner_.targets(); ++t) {
      if (base_.differing[t] == 0) continue;
      result_.tensors.push_back({.spec = runner_.spec(t),
                                 .differing = base_.differing[t],
                                 .captured = CountOf(evidence_.observed[t].covered)});
    }
  }

  /// Inputs that were captured wrongly: with the golden file's every bit agrees.
  bool FindGoldenInputs() {
    const std::vector<Tensor>& golden = evidence_.golden_inputs.tensors;
    std::vector<std::vector<const Tensor*>> sets;
    for (const Tensor& input : golden) sets.push_back({&input});
    if (golden.size() > 1) {
      sets.emplace_back();
      for (const Tensor& input : golden) sets.back().push_back(&input);
    }
    for (const auto& set : sets) {
      Evidence other = evidence_;
      for (const Tensor* input : set) {
        other.inputs.At(Role::kInput, input->spec.name).data = input->data;
      }
      if (StageRunner(other, settings_.threads).RunAll({}).total() > 0) continue;
      AddGoldenInputs(set);
      return true;
    }
    return false;
  }

  void AddGoldenInputs(const std::vector<const Tensor*>& inputs) {
    Finding finding;
    for (const Tensor* input : inputs) {
      finding.changes.push_back({Deviation::Kind::kOperand,
                                 FullName(input->spec),
                                 "captured",
                                 "as in the golden file, not as captured",
                                 {}});
    }
    full_ = base_;
    for (size_t t = 0; t < runner_.targets(); ++t) {
      const int64_t count = std::exchange(full_.differing[t], 0);
      if (count == 0) continue;
      finding.tensors.push_back(runner_.name(t));
      finding.explained += count;
      finding.differing += count;
    }
    result_.findings.push_back(std::move(finding));
  }

  /// Everything is right, in another order: whole captures of other requests, heads or tokens. What
  /// was seen is then no operand of what follows it.
  bool FindOrder() {
    size_t first = 0;
    while (base_.differing[first] == 0) ++first;
    if (!FindPermutation(evidence_.observed[first], runner_.Computed(first)) || IsLayoutChoice()) {
      return false;
    }
    for (size_t t = 0; t < runner_.targets(); ++t) runner_.Withhold(t, true);
    full_ = runner_.RunAll({});
    std::vector<LocalAnswer> orders(runner_.targets());
    bool ordered = true;
    for (size_t t = 0; ordered && t < runner_.targets(); ++t) {
      if (full_.differing[t] == 0) continue;
      const auto order = FindPermutation(evidence_.observed[t], runner_.Computed(t));
      ordered = order.has_value();
      if (!ordered) break;
      const std::string text = Text(*order, runner_.spec(t));
      orders[t].changes = {{Deviation::Kind::kResult, runner_.name(t), "", text, *order}};
    }
    for (size_t t = 0; ordered && t < runner_.targets(); ++t) {
      if (!orders[t].changes.empty()) AddOrder(t, orders[t].changes.front());
    }
    for (size_t t = 0; !ordered && t < runner_.targets(); ++t) runner_.Withhold(t, false);
    return ordered;
  }

  /// The order is a choice of the contract.
  bool IsLayoutChoice() {
    const auto choices = evidence_.kernel->choices();
    const auto changes = ChoiceDeviations(*evidence_.kernel, evidence_.contract);
    return std::ranges::any_of(changes, [&](const Deviation& change) {
      const auto choice = std::ranges::find(choices, change.name, &Choice::name);
      return choice->kind == ChoiceKind::kLayout && runner_.RunAll({change}).total() == 0;
    });
  }

  /// Tensors in the same order are one finding.
  void AddOrder(size_t target, const Deviation& change) {
    const int64_t count = std::exchange(full_.differing[target], 0);
    auto found = std::ranges::find_if(result_.findings, [&](const Finding& finding) {
      return finding.changes.front().to == change.to;
    });
    if (found == result_.findings.end()) {
      found = result_.findings.emplace(found);
      found->changes = {change};
    }
    found->tensors.push_back(runner_.name(target));
    found->explained += count;
    found->differing += count;
  }

  /// A tap that was stored or captured wrongly says nothing about what follows it: where
  /// the model's own value leaves less to explain, the kernel went on with that.
  void WithholdTaps() {
    for (size_t t = 0; t < runner_.targets(); ++t) {
      if (base_.differing[t] == 0 || runner_.spec(t).role != Role::kTap) continue;
      const Outcome given = runner_.RunSample({});
      runner_.Withhold(t, true);
      const Outcome without = runner_.RunSample({});
      if (!Halves(given, without) || !Judge(t, given, without)) runner_.Withhold(t, false);
    }
  }

  /// Less is left in what follows the tap.
  bool OthersLose(size_t tap, const Outcome& given, const Outcome& without) const {
    return given.total() - given.differing[tap] > without.total() - without.differing[tap];
  }

  /// In one tensor at least: a few elements fewer are chance, in sums of other orders say.
  bool Halves(const Outcome& given, const Outcome& without) const {
    for (size_t t = 0; t < runner_.targets(); ++t) {
      if (given.differing[t] > 0 && 2 * without.differing[t] <= given.differing[t]) return true;
    }
    return false;
  }

  /// The same for single elements, which the choices that were found do not give.
  void CorrectStrays() {
    const Hypothesis changes = answer_.changes();
    bool corrected = false;
    for (size_t t = 0; t < runner_.targets(); ++t) {
      if (full_.differing[t] == 0 || recording_[t] || runner_.spec(t).role != Role::kTap) continue;
      if (!IsRest(full_.differing[t], CountOf(evidence_.observed[t].covered))) continue;
      const Outcome given = runner_.RunAll(changes);
      runner_.Correct(t, runner_.Differing(t));
      const Outcome without = runner_.RunAll(changes);
      const bool keep =
          (Halves(given, without) || OthersLose(t, given, without)) && Judge(t, given, without);
      if (!keep) runner_.Correct(t, {});
      corrected = corrected || keep;
    }
    if (!corrected) return;
    base_ = runner_.RunAll({});
    full_ = runner_.RunAll(changes);
  }

  /// Less is left without the tap. Where no tensor loses by it, only the recording can be wrong.
  bool Judge(size_t tap, const Outcome& given, const Outcome& without) {
    if (without.total() >= given.total()) return false;
    bool none_loses = true;
    for (size_t t = 0; t < runner_.targets(); ++t) {
      none_loses = none_loses && without.differing[t] <= given.differing[t];
    }
    recording_[tap] = none_loses;
    return true;
  }

  /// What holds in the sample is held against everything; what contradicts it joins the sample.
  void FindChoices() {
    for (const Hypothesis& hint : settings_.hints) {
      if (!Applies(hint) || runner_.RunSample(hint).total() > 0) continue;
      full_ = runner_.RunAll(hint);
      if (full_.total() > 0) continue;
      answer_.unexplained.assign(runner_.targets(), false);
      answer_.regional.assign(runner_.targets(), {});
      for (const Deviation& change : hint) answer_.steps.push_back({{change}, {}});
      return;
    }
    for (int round = 0; round < kRounds; ++round) {
      answer_ = ChoiceSearch(&runner_, &effort_).Run();
      full_ = runner_.RunAll(answer_.changes());
      const int64_t pieces = runner_.sample_pieces();
      if (!Contradicted()) return;
      runner_.ExtendSample();
      if (runner_.sample_pieces() == pieces) break;
    }
    for (size_t t = 0; t < runner_.targets(); ++t) {
      if (full_.differing[t] > 0) answer_.unexplained[t] = true;
    }
  }

  /// A tree may have another number of terms in this configuration.
  bool Applies(const Hypothesis& hint) const {
    const auto sums = evidence_.kernel->Sums(evidence_.config, evidence_.contract);
    return std::ranges::all_of(hint, [&](const Deviation& change) {
      if (change.kind != Deviation::Kind::kOrder) return true;
      const auto sum = std::ranges::find(sums, change.name, &Sum::name);
      return sum != sums.end() && sum->tree.leaves == change.tree->leaves;
    });
  }

  /// Where no choice fits: another tree of a sum of the stage.
  void FindTrees() {
    for (size_t t = 0; t < runner_.targets(); ++t) {
      if (full_.differing[t] == 0 || recording_[t]) continue;
      const Hypothesis found = answer_.changes();
      full_ = runner_.RunAll(found);
      if (!WithinBounds(runner_, found, t, runner_.Differing(t), kFewElements)) continue;
      TakeTree(TreeSearch(&runner_, found).Explain(t));
    }
  }

  /// The first that holds on all elements, in every tensor that it acts on.
  void TakeTree(const std::vector<Deviation>& trees) {
    for (size_t i = 0; i < trees.size(); ++i) {
      Outcome outcome = runner_.RunAll(With(answer_.changes(), {trees[i]}));
      bool holds = true;
      for (size_t t = 0; t < runner_.targets(); ++t) {
        holds = holds && (outcome.hash[t] == full_.hash[t] || outcome.differing[t] == 0);
      }
      if (!holds) continue;
      ChoiceStep step = {{trees[i]}, {}};
      for (size_t j = i + 1; j < trees.size(); ++j) step.alternatives.push_back({trees[j]});
      answer_.steps.push_back(std::move(step));
      full_ = std::move(outcome);
      return;
    }
  }

  bool Contradicted() const {
    for (size_t t = 0; t < runner_.targets(); ++t) {
      if (full_.differing[t] > 0 && !answer_.unexplained[t]) return true;
    }
    return false;
  }

  /// Contracts of other implementations. A contract that differs from the dataset's in more than
  /// the choices that show has the same bits all the same.
  void FindName() {
    if (base_.total() < kFewElements) return;  // chance
    for (const std::string& name : evidence_.kernel->contract_names()) {
      const Contract named = evidence_.kernel->NamedContract(name);
      Hypothesis changes;
      for (const auto& [choice, value] : named.choices) {
        const std::string& from = evidence_.contract.choices.at(choice);
        if (value != from) changes.push_back({Deviation::Kind::kChoice, choice, from, value, {}});
      }
      if (changes.empty() || runner_.RunSample(changes).total() > 0) continue;
      Outcome outcome = runner_.RunAll(changes);
      if (outcome.total() > 0) continue;
      result_.named_contract = name;
      if (full_.total() > 0) TakeAll(changes, std::move(outcome));
      return;
    }
  }

  /// In place of what was found: more choices meet in one stage than are searched together.
  void TakeAll(const Hypothesis& changes, Outcome outcome) {
    answer_.steps.clear();
    for (const Choice& choice : evidence_.kernel->choices()) {  // in the order of the dataflow
      const auto change = std::ranges::find(changes, choice.name, &Deviation::name);
      if (change != changes.end()) answer_.steps.push_back({{*change}, {}});
    }
    answer_.unexplained.assign(runner_.targets(), false);
    answer_.regional.assign(runner_.targets(), {});
    full_ = std::move(outcome);
  }

  void AddChoiceFindings() {
    const Hypothesis all = answer_.changes();
    for (const ChoiceStep& step : answer_.steps) {
      const Hypothesis rest = Without(all, step.changes);
      const Outcome without = rest.empty() ? base_ : runner_.RunAll(rest);
      Finding finding;
      finding.changes = step.changes;
      Count(without, &finding);
      if (finding.explained == 0) continue;  // a later step made it needless
      size_t checked = 0;
      for (const Hypothesis& other : step.alternatives) {
        if (finding.alternatives.size() == kCheckedAlternatives) break;
        ++checked;
        if (runner_.RunAll(With(rest, other)).differing == full_.differing) {
          finding.alternatives.push_back(other);
        }
      }
      finding.more_alternatives = static_cast<int64_t>(step.alternatives.size() - checked);
      result_.findings.push_back(std::move(finding));
    }
  }

  /// Tensors that differ more without the finding.
  void Count(const Outcome& without, Finding* finding) const {
    for (size_t t = 0; t < runner_.targets(); ++t) {
      if (without.differing[t] <= full_.differing[t]) continue;
      finding->tensors.push_back(runner_.name(t));
      finding->explained += without.differing[t] - full_.differing[t];
      finding->differing += without.differing[t];
    }
  }

  void AddLocalFindings() {
    if (full_.total() == 0) return;
    const Hypothesis changes = answer_.changes();
    LocalSearch search(&runner_, &effort_, changes);
    std::vector<Deviation> known;
    for (size_t t = 0; t < runner_.targets(); ++t) {
      if (full_.differing[t] == 0) continue;
      if (runner_.RunAll(changes).differing[t] == 0) {  // a tensor before it is no longer given
        full_.differing[t] = 0;
        continue;
      }
      const Tensor computed = runner_.Computed(t);
      const std::vector<int64_t> differing = runner_.Differing(t);
      const bool places = !answer_.regional[t].empty();
      LocalAnswer answer = RecordedOrder(t, differing);
      if (answer.changes.empty()) {
        answer = search.Explain(t, computed, differing, known, places);
      }
      if (answer.changes.empty() && places && AddRegions(t, computed, differing)) continue;
      if (answer.changes.empty()) answer = ExplainStored(&search, t);
      AddLocalFinding(t, answer, computed, differing);
      if (!answer.changes.empty()) known.push_back(answer.changes.front());
    }
  }

  /// Another tree of a tap that nothing was computed from: it acts on the recording alone.
  LocalAnswer RecordedOrder(size_t target, const std::vector<int64_t>& differing) {
    const Hypothesis found = answer_.changes();
    if (!recording_[target] || !WithinBounds(runner_, found, target, differing, kFewElements)) {
      return {};
    }
    LocalAnswer answer;
    for (const Deviation& tree : TreeSearch(&runner_, found).Explain(target)) {
      if (runner_.RunAll(With(found, {tree})).differing[target] == 0) {
        answer.changes.push_back(tree);
      }
    }
    runner_.RunAll(found);
    return answer;
  }

  /// Right from token to token, but stored in another way: what was stored is no input of what
  /// follows.
  LocalAnswer ExplainStored(LocalSearch* search, size_t target) {
    if (recording_[target]) return {};
    runner_.Withhold(target, true);
    LocalAnswer answer;
    if (runner_.RunAll(answer_.changes()).differing[target] > 0) {
      answer = search->ExplainResult(target, runner_.Computed(target), runner_.Differing(target));
    }
    if (answer.changes.empty() || answer.in_part) {
      runner_.Withhold(target, false);
    } else {
      search->Refresh();
    }
    return answer;
  }

  /// Choices that hold in some places each, and what they leave. False: not on all elements.
  bool AddRegions(size_t target, const Tensor& computed, const std::vector<int64_t>& differing) {
    const Hypothesis& choices = answer_.regional[target];
    std::vector<std::vector<int64_t>> under;
    for (const Deviation& choice : choices) {
      runner_.RunAll(With(answer_.changes(), {choice}));
      under.push_back(runner_.Differing(target));
    }
    const auto cover = CoverRegions(CellOf(runner_, target), differing, under);
    if (!cover) return false;
    for (const Region& region : cover->regions) {
      AddLocalFinding(target, {{choices[region.choice]}, true}, computed, region.explained);
    }
    full_.differing[target] = static_cast<int64_t>(cover->rest.size());
    if (!cover->rest.empty()) AddLocalFinding(target, {}, computed, cover->rest);
    return true;
  }

  void AddLocalFinding(size_t target, const LocalAnswer& answer, const Tensor& computed,
                       const std::vector<int64_t>& differing) {
    const auto count = static_cast<int64_t>(differing.size());
    const bool explained = !answer.changes.empty();
    if (explained) full_.differing[target] = 0;
    for (Finding& finding : result_.findings) {
      if (!explained || finding.in_part != answer.in_part || finding.changes.size() != 1 ||
          finding.changes[0] != answer.changes[0]) {
        continue;
      }
      finding.tensors.push_back(runner_.name(target));  // the same cause
      finding.explained += count;
      finding.differing += count;
      return;
    }
    Finding finding;
    finding.tensors = {runner_.name(target)};
    finding.recording = recording_[target];
    finding.rest = !explained && std::ranges::any_of(result_.findings, [&](const Finding& other) {
      return std::ranges::find(other.tensors, runner_.name(target)) != other.tensors.end();
    });
    finding.explained = explained ? count : 0;
    finding.differing = count;
    finding.in_part = explained && answer.in_part;
    if (explained) finding.changes = {answer.changes[0]};
    for (size_t i = 1; i < answer.changes.size(); ++i) {
      const Hypothesis other = {answer.changes[i]};
      const bool known =
          other == finding.changes ||
          std::ranges::find(finding.alternatives, other) != finding.alternatives.end();
      if (!known) finding.alternatives.push_back(other);
    }
    if (!explained || answer.in_part) {
      finding.pattern =
          FindPattern(*evidence_.kernel, evidence_.observed[target], computed, differing);
    }
    if (!explained && !finding.rest && !finding.recording &&
        std::ssize(differing) >= kFewElements) {
      runner_.RunAll(answer_.changes());
      finding.bound = WithinBounds(runner_, answer_.changes(), target, differing, kBoundElements);
    }
    result_.findings.push_back(std::move(finding));
  }

  void Conclude() {
    size_t at = 0;
    for (size_t t = 0; t < runner_.targets(); ++t) {
      if (base_.differing[t] > 0) result_.tensors[at++].unexplained = full_.differing[t];
    }
    bool order = true;
    for (Finding& finding : result_.findings) {
      finding.sentence = Sentence(*evidence_.kernel, finding);
      order = order && IsOrder(finding);
    }
    result_.verdict = order ? Verdict::kLegalReordering : Verdict::kDifferent;
    result_.runs = runner_.runs();
    result_.not_tried = effort_.not_tried();
  }

  bool IsOrder(const Finding& finding) const {
    if (finding.changes.empty() || finding.in_part) return finding.bound.has_value();
    return std::ranges::all_of(finding.changes, [&](const Deviation& change) {
      return harness::IsOrder(*evidence_.kernel, change);
    });
  }

  const Evidence& evidence_;
  const ExplainSettings& settings_;
  StageRunner runner_;
  Effort effort_;
  std::vector<bool> recording_;  // per target: a tap that was recorded wrongly
  Outcome base_, full_;          // without a change, with all that was found
  ChoiceAnswer answer_;
  Explanation result_;
};

bool IsAllNan(const Tensor& tensor, const std::vector<Range>& covered) {
  const DType dtype = tensor.spec.dtype;
  if (dtype == DType::kI32) return false;
  return std::ranges::all_of(covered, [&](const Range& range) {
    for (int64_t i = range.begin; i < range.end; ++i) {
      const uint32_t bits = ElementBits(tensor, i);
      if (bits == PoisonBits(dtype) || !std::isnan(ToFloat(dtype, bits))) return false;
    }
    return true;
  });
}

/// Tensors of nothing but NaN that should not be: NaN passes through any stage, so that they are no
/// evidence of how they were computed.
std::vector<size_t> NanTensors(const Evidence& evidence, int threads) {
  std::vector<size_t> nans;
  for (size_t t = 0; t < evidence.observed.size(); ++t) {
    const Observation& seen = evidence.observed[t];
    if (IsAllNan(seen.values, seen.covered)) nans.push_back(t);
  }
  if (nans.empty()) return nans;
  StageRunner runner(evidence, threads);
  for (const size_t t : nans) {
    runner.Withhold(t, true);
  }
  runner.RunAll({});
  std::erase_if(
      nans, [&](size_t t) { return IsAllNan(runner.Computed(t), evidence.observed[t].covered); });
  return nans;
}

void AddNans(const Evidence& evidence, const std::vector<size_t>& nans, Explanation* explanation) {
  Finding finding;
  std::vector<GuiltyTensor> guilty;
  for (const size_t t : nans) {
    const Observation& seen = evidence.observed[t];
    const int64_t count = CountOf(seen.covered);
    finding.tensors.push_back(FullName(seen.values.spec));
    finding.explained += count;
    finding.differing += count;
    guilty.push_back({.spec = seen.values.spec, .differing = count, .captured = count});
  }
  finding.changes = {{Deviation::Kind::kResult, finding.tensors.front(), "", "NaN everywhere", {}}};
  finding.sentence = Sentence(*evidence.kernel, finding);
  explanation->findings.insert(explanation->findings.begin(), std::move(finding));
  explanation->tensors.insert(explanation->tensors.begin(), guilty.begin(), guilty.end());
  explanation->verdict = Verdict::kDifferent;
}

}  // namespace

std::string_view Name(Verdict verdict) {
  constexpr std::array<std::string_view, 3> names = {"identical", "legal_reordering",
                                                     "different_computation"};
  return names[static_cast<size_t>(verdict)];
}

Explanation Explain(const Evidence& evidence, const ExplainSettings& settings) {
  const std::vector<size_t> nans = NanTensors(evidence, settings.threads);
  if (nans.empty()) return Explainer(evidence, settings).Run();
  Evidence rest = evidence;
  for (size_t i = nans.size(); i-- > 0;) rest.observed.erase(rest.observed.begin() + nans[i]);
  Explanation explanation;
  if (!rest.observed.empty()) explanation = Explainer(rest, settings).Run();
  AddNans(evidence, nans, &explanation);
  return explanation;
}

}  // namespace samebits::harness
