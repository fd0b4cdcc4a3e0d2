#include "harness/explain/stage_runner.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>
#include <set>

#include "harness/compare/element.h"

namespace samebits::harness {
namespace {

/// Launches of so few pieces always run as a whole.
constexpr int64_t kFewPieces = 4;
constexpr size_t kDifferingPieces = 3;  // per tensor and extension
constexpr size_t kEqualPieces = 2;
constexpr double kPlacing = 4;  // a changed operand is made element by element, and put back

/// No index and bits make it zero, the hash of no difference.
uint64_t Mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15u + 0xD1B54A32D192ED03u;
  return hash ^ (hash >> 32);
}

bool IsDense(const Operand& operand) {
  int64_t stride = static_cast<int64_t>(SizeOf(operand.spec.dtype));
  for (size_t d = operand.strides.size(); d-- > 0; stride *= operand.spec.shape[d]) {
    if (operand.spec.shape[d] > 1 && operand.strides[d] != stride) return false;
  }
  return true;
}

const Tensor* Find(const Evidence& evidence, const std::string& name) {
  for (const Tensor& tensor : evidence.inputs.tensors) {
    if (name == FullName(tensor.spec)) return &tensor;
  }
  for (const Observation& seen : evidence.observed) {
    if (name == FullName(seen.values.spec)) return &seen.values;
  }
  return nullptr;
}

/// Other pieces may then compute an element.
bool ChangesLayout(const Evidence& evidence, const Hypothesis& hypothesis) {
  const auto choices = evidence.kernel->choices();
  return std::ranges::any_of(hypothesis, [&](const Deviation& change) {
    if (change.kind == Deviation::Kind::kOperand) {
      return Find(evidence, change.name)->spec.dtype == DType::kI32;  // a table of slots
    }
    if (change.kind != Deviation::Kind::kChoice) return false;
    const auto choice = std::ranges::find(choices, change.name, &Choice::name);
    return choice != choices.end() && choice->kind == ChoiceKind::kLayout;
  });
}

}  // namespace

int64_t Outcome::total() const {
  return std::accumulate(differing.begin(), differing.end(), int64_t{0});
}

StageRunner::StageRunner(const Evidence& evidence, int threads)
    : evidence_(evidence),
      threads_(threads),
      sums_(evidence.kernel->Sums(evidence.config, evidence.contract)),
      work_(evidence.kernel->Plan(evidence.config, true)),
      given_(evidence.kernel->Plan(evidence.config, true)),
      work_addresses_(work_.addresses()),
      given_addresses_(given_.addresses()) {
  for (const Tensor& tensor : evidence.inputs.tensors) work_.Scatter(tensor);
  // Nothing is given yet. In-place operands too: the image's own poison of them would be values.
  for (const TensorSpec& spec : Tensors(evidence.kernel->Plan(evidence.config, true))) {
    if (spec.role == Role::kInput) continue;
    given_.Scatter(Apply({.kind = Transform::Kind::kNeverWritten}, Tensor(spec)));
    results_.push_back(spec);
    result_maps_.push_back(evidence.kernel->PiecesOf(evidence.config, evidence.inputs, spec));
  }
  for (const Observation& seen : evidence.observed) {
    given_.Scatter(seen.values);
    targets_.push_back(
        {evidence.kernel->PiecesOf(evidence.config, evidence.inputs, seen.values.spec)});
  }
  withheld_.resize(targets());
  corrected_.resize(targets());
  for (const Allocation& allocation : evidence.kernel->Plan(evidence.config, true).allocations) {
    bytes_ += static_cast<double>(allocation.bytes);
  }
  size_t taps = 0;
  for (const Observation& seen : evidence.observed) {
    if (seen.values.spec.role != Role::kTap) continue;
    ++taps;
    if (CountOf(seen.covered) < seen.values.spec.elements()) complete_ = false;
  }
  if (std::ranges::count(results_, Role::kTap, &TensorSpec::role) != static_cast<int64_t>(taps)) {
    complete_ = false;
  }
  const int64_t all = evidence.kernel->Pieces(evidence.config);
  std::vector<int64_t> pieces(all <= kFewPieces ? all : 0);
  std::iota(pieces.begin(), pieces.end(), int64_t{0});
  sample_ = SampleOf(std::move(pieces));
}

std::string StageRunner::name(size_t target) const { return FullName(spec(target)); }

std::vector<const Tensor*> StageRunner::operands() const {
  std::vector<const Tensor*> list;
  for (const Tensor& tensor : evidence_.inputs.tensors) list.push_back(&tensor);
  for (const Observation& seen : evidence_.observed) {
    if (seen.values.spec.role == Role::kTap) list.push_back(&seen.values);
  }
  return list;
}

StageRunner::View StageRunner::ViewOf(Role role, const std::string& name) const {
  return ViewOf(work_addresses_, role, name);
}

StageRunner::View StageRunner::ViewOf(const std::vector<void*>& addresses, Role role,
                                      const std::string& name) const {
  const Operand& operand = work_.Find(role, name);  // both images have the same plan
  auto* base = static_cast<std::byte*>(addresses[operand.allocation]);
  return {base + operand.offset, operand.strides, IsDense(operand)};
}

int64_t StageRunner::OffsetOf(const View& view, const TensorSpec& spec, int64_t index) {
  if (view.dense) return index * static_cast<int64_t>(SizeOf(spec.dtype));
  int64_t offset = 0;
  for (size_t d = spec.shape.size(); d-- > 0; index /= spec.shape[d]) {
    offset += index % spec.shape[d] * view.strides[d];
  }
  return offset;
}

uint32_t StageRunner::BitsAt(const View& view, const TensorSpec& spec, int64_t index) {
  uint32_t bits = 0;  // little-endian: the low bytes come first
  std::memcpy(&bits, view.first + OffsetOf(view, spec, index), SizeOf(spec.dtype));
  return bits;
}

template <typename Visit>
void StageRunner::ForDifferences(size_t target, const std::vector<Range>& ranges,
                                 const Visit& visit) const {
  const Tensor& seen = evidence_.observed[target].values;
  const View view = ViewOf(seen.spec.role, seen.spec.name);
  const auto dense = [&]<typename T>(const Range& range, T) {
    const T* const computed = reinterpret_cast<const T*>(view.first);
    const T* const observed = seen.view<T>().data();
    for (int64_t i = range.begin; i < range.end; ++i) {
      if (computed[i] != observed[i]) visit(i, uint32_t{computed[i]} ^ observed[i]);
    }
  };
  for (const Range& range : ranges) {
    if (view.dense && SizeOf(seen.spec.dtype) == 4) {
      dense(range, uint32_t{});
    } else if (view.dense) {
      dense(range, uint16_t{});
    } else {
      for (int64_t i = range.begin; i < range.end; ++i) {
        const uint32_t flipped = BitsAt(view, seen.spec, i) ^ ElementBits(seen, i);
        if (flipped != 0) visit(i, flipped);
      }
    }
  }
}

void StageRunner::Compare(size_t target, const Sample* sample, Outcome* outcome) const {
  const Tensor& seen = evidence_.observed[target].values;
  const View view = ViewOf(seen.spec.role, seen.spec.name);
  const auto& ranges = sample ? sample->targets[target] : evidence_.observed[target].covered;
  ForDifferences(target, ranges, [&](int64_t i, uint32_t flipped) {
    ++outcome->differing[target];
    outcome->hash[target] = Mix(Mix(outcome->hash[target], static_cast<uint64_t>(i)), flipped);
  });
  for (const int64_t i : (sample ? *sample : sample_).marks[target]) {
    outcome->marked[target] += BitsAt(view, seen.spec, i) != ElementBits(seen, i);
  }
}

void StageRunner::Place(const Deviation& change, bool changed) {
  const Tensor& truth = *Find(evidence_, change.name);
  work_done_ += kPlacing * static_cast<double>(truth.data.size());
  golden::MemoryImage& image = truth.spec.role == Role::kInput ? work_ : given_;
  if (!changed && truth.spec.role == Role::kTap) return RestoreGiven(truth);
  if (!changed) return image.Scatter(truth);
  image.Scatter(Apply(change.transform, truth, Find(evidence_, change.transform.other)));
}

void StageRunner::RestoreGiven(const Tensor& truth) {
  for (size_t t = 0; t < targets(); ++t) {
    if (&evidence_.observed[t].values != &truth) continue;
    Give(t);
  }
}

void StageRunner::Restore(const Sample* sample) {
  for (size_t r = 0; r < results_.size(); ++r) {
    const TensorSpec& spec = results_[r];
    if (spec.role == Role::kTap) continue;  // written anew by every piece
    const bool in_place = work_.Find(spec.role, spec.name).output;
    const Tensor* input = in_place ? &evidence_.inputs.At(Role::kInput, spec.name) : nullptr;
    if (sample != nullptr) {
      for (const Range& range : sample->results[r]) Restore(spec, input, range);
    } else if (input != nullptr) {
      work_.Scatter(*input);
    } else {
      work_.Scatter(Apply({.kind = Transform::Kind::kNeverWritten}, Tensor(spec)));
    }
  }
}

void StageRunner::Restore(const TensorSpec& spec, const Tensor* input, const Range& range) {
  const View view = ViewOf(spec.role, spec.name);
  const size_t size = SizeOf(spec.dtype), begin = range.begin * size;
  const size_t bytes = (range.end - range.begin) * size;
  if (view.dense) {
    std::byte* const to = view.first + begin;
    if (input != nullptr) {
      std::memcpy(to, input->data.data() + begin, bytes);
    } else {
      FillPoison(spec.dtype, {to, bytes});
    }
    return;
  }
  for (int64_t i = range.begin; i < range.end; ++i) {
    const uint32_t bits = input != nullptr ? ElementBits(*input, i) : PoisonBits(spec.dtype);
    std::memcpy(view.first + OffsetOf(view, spec, i), &bits, size);
  }
}

std::optional<std::string> StageRunner::FirstTap(const Deviation& change) const {
  if (change.kind == Deviation::Kind::kOrder) {
    const auto sum = std::ranges::find(sums_, change.name, &Sum::name);
    return sum->first_tap;
  }
  if (change.kind != Deviation::Kind::kChoice) return std::nullopt;
  const auto choices = evidence_.kernel->choices();
  return std::ranges::find(choices, change.name, &Choice::name)->first_tap;
}

std::vector<bool> StageRunner::Touched(const Hypothesis& hypothesis,
                                       std::vector<bool> wanted) const {
  size_t first = targets();
  for (const Deviation& change : hypothesis) {
    const std::optional<std::string> tap = FirstTap(change);
    if (!tap) return wanted;
    size_t at = 0;
    while (at < targets() && spec(at).name != *tap) ++at;
    first = std::min(first, at == targets() ? 0 : at);
  }
  if (!complete_) return wanted;
  for (size_t t = 0; t < first; ++t) {
    if (spec(t).role == Role::kTap) wanted[t] = false;
  }
  return wanted;
}

Outcome StageRunner::Run(const Hypothesis& hypothesis, const Sample* sample,
                         const std::vector<bool>& wanted) {
  for (const Deviation& change : placed_) Place(change, false);
  placed_.clear();
  Restore(sample);
  for (const Deviation& change : hypothesis) {
    if (change.kind != Deviation::Kind::kOperand) continue;
    Place(change, true);
    placed_.push_back(change);
  }
  std::vector<void*> addresses = work_addresses_;
  for (size_t t = 0; t < targets(); ++t) {
    if (!wanted[t]) addresses[work_.Find(spec(t).role, spec(t).name).allocation] = nullptr;
  }
  const auto all = static_cast<double>(evidence_.kernel->Pieces(evidence_.config));
  work_done_ += bytes_ * (sample ? static_cast<double>(sample->pieces.size()) / all : 1.0);
  const StageRun stages = {given_addresses_, sample ? std::span<const int64_t>(sample->pieces)
                                                    : std::span<const int64_t>()};
  evidence_.kernel->RunStages(Changed(evidence_.config, hypothesis),
                              Changed(evidence_.contract, hypothesis), addresses, stages, threads_);
  ++runs_;
  if (on_run) on_run(runs_);
  Outcome outcome = {std::vector<int64_t>(targets()), std::vector<int64_t>(targets()),
                     std::vector<uint64_t>(targets())};
  for (size_t t = 0; t < targets(); ++t) {
    if (wanted[t]) {
      Compare(t, sample, &outcome);
    } else if (sample != &probe_) {
      outcome.differing[t] = untouched_.differing[t];
      outcome.marked[t] = untouched_.marked[t];
      outcome.hash[t] = untouched_.hash[t];
    }
  }
  return outcome;
}

Outcome StageRunner::RunAll(const Hypothesis& hypothesis) {
  return Run(hypothesis, nullptr, std::vector<bool>(targets(), true));
}

Outcome StageRunner::RunSample(const Hypothesis& hypothesis) {
  return RunSample(hypothesis, std::vector<bool>(targets(), true));
}

bool StageRunner::IsSampled(const Hypothesis& hypothesis) const {
  const bool all = evidence_.kernel->Pieces(evidence_.config) <= sample_pieces();
  return !all && !ChangesLayout(evidence_, hypothesis);
}

Outcome StageRunner::RunSample(const Hypothesis& hypothesis, const std::vector<bool>& wanted) {
  const std::vector<bool> everything(targets(), true);
  const bool sampled = IsSampled(hypothesis), usual = sampled == IsSampled({});
  const Sample* const sample = sampled ? &sample_ : nullptr;
  if (hypothesis.empty() || !usual) return Run(hypothesis, sample, everything);
  if (untouched_.differing.empty()) untouched_ = Run({}, sample, everything);
  std::vector<bool> taps = wanted;
  for (size_t t = 0; t < targets(); ++t) {
    if (spec(t).role != Role::kTap) taps[t] = true;
  }
  return Run(hypothesis, sample, Touched(hypothesis, std::move(taps)));
}

void StageRunner::AimProbe(size_t target) {
  probe_target_ = target;
  const PieceMap& map = targets_[target].map;
  std::map<int64_t, int64_t> differing;  // by piece
  for (const int64_t index : DifferingInSample(target)) {
    const int64_t piece = map.pieces[index / map.block];
    if (piece != PieceMap::kNobody) ++differing[piece];
  }
  probe_ = {};
  probe_differing_ = 0;
  if (differing.empty() || evidence_.kernel->Pieces(evidence_.config) == 1) return;
  const auto most = std::ranges::max_element(differing, {}, [](const auto& p) { return p.second; });
  probe_ = SampleOf({most->first});
  probe_differing_ = most->second;
  for (const int64_t index : sample_.marks[target]) {
    if (map.pieces[index / map.block] == most->first) probe_.marks[target].push_back(index);
  }
}

Outcome StageRunner::RunProbe(const Hypothesis& hypothesis) {
  if (probe_.pieces.empty() || ChangesLayout(evidence_, hypothesis)) {
    return RunSample(hypothesis);
  }
  std::vector<bool> wanted(targets());
  for (size_t t = 0; t < targets(); ++t) {
    wanted[t] = t == probe_target_ || spec(t).role != Role::kTap;
  }
  return Run(hypothesis, &probe_, wanted);
}

uint32_t StageRunner::Bits(const ElementRef& element) const {
  if (element.role == Role::kInput) {
    return ElementBits(evidence_.inputs.At(Role::kInput, element.tensor), element.index);
  }
  const TensorSpec& spec = work_.Find(element.role, element.tensor).spec;
  const uint32_t given =
      BitsAt(ViewOf(given_addresses_, element.role, element.tensor), spec, element.index);
  if (given != PoisonBits(spec.dtype)) return given;
  return BitsAt(ViewOf(element.role, element.tensor), spec, element.index);
}

Tensor StageRunner::Computed(size_t target) const {
  return work_.Gather(spec(target).role, spec(target).name);
}

uint32_t StageRunner::ComputedBits(size_t target, int64_t index) const {
  return BitsAt(ViewOf(spec(target).role, spec(target).name), spec(target), index);
}

void StageRunner::Give(size_t target) {
  const Tensor& seen = evidence_.observed[target].values;
  if (withheld_[target]) {
    given_.Scatter(Apply({.kind = Transform::Kind::kNeverWritten}, seen));
  } else {
    given_.Scatter(corrected_[target] ? *corrected_[target] : seen);
  }
  untouched_ = {};
}

void StageRunner::Withhold(size_t target, bool withheld) {
  withheld_[target] = withheld;
  Give(target);
}

void StageRunner::Correct(size_t target, const std::vector<int64_t>& elements) {
  corrected_[target].reset();
  if (!elements.empty()) {
    corrected_[target] = evidence_.observed[target].values;
    const Tensor computed = Computed(target);
    const size_t size = SizeOf(computed.spec.dtype);
    for (const int64_t i : elements) {
      std::memcpy(corrected_[target]->data.data() + i * size, computed.data.data() + i * size,
                  size);
    }
  }
  Give(target);
}

void StageRunner::Mark(const Hypothesis& hypothesis) {
  RunSample(hypothesis);
  for (size_t t = 0; t < targets(); ++t) sample_.marks[t] = DifferingInSample(t);
  untouched_ = {};
}

std::vector<int64_t> StageRunner::DifferingInSample(size_t target) const {
  return Differing(target, sample_.targets[target]);
}

std::vector<int64_t> StageRunner::Differing(size_t target) const {
  return Differing(target, evidence_.observed[target].covered);
}

std::vector<int64_t> StageRunner::Differing(size_t target, const std::vector<Range>& ranges) const {
  std::vector<int64_t> indices;
  ForDifferences(target, ranges, [&](int64_t i, uint32_t) { indices.push_back(i); });
  return indices;
}

std::vector<Range> StageRunner::RangesOf(const PieceMap& map, const std::vector<int64_t>& pieces) {
  std::vector<Range> ranges;
  for (size_t b = 0; b < map.pieces.size(); ++b) {
    if (!std::ranges::binary_search(pieces, map.pieces[b])) continue;
    const int64_t begin = static_cast<int64_t>(b) * map.block;
    if (!ranges.empty() && ranges.back().end == begin) {
      ranges.back().end += map.block;
    } else {
      ranges.push_back({begin, begin + map.block});
    }
  }
  return ranges;
}

StageRunner::Sample StageRunner::SampleOf(std::vector<int64_t> pieces) const {
  Sample sample;
  for (size_t t = 0; t < targets(); ++t) {
    sample.targets.push_back(
        Intersect(RangesOf(targets_[t].map, pieces), evidence_.observed[t].covered));
  }
  for (const PieceMap& map : result_maps_) sample.results.push_back(RangesOf(map, pieces));
  sample.marks.resize(targets());
  sample.pieces = std::move(pieces);
  return sample;
}

void StageRunner::ExtendSample() {
  const int64_t all = evidence_.kernel->Pieces(evidence_.config);
  if (sample_pieces() == all) return;
  std::set<int64_t> chosen(sample_.pieces.begin(), sample_.pieces.end());
  std::vector<int64_t> differences(all);
  for (size_t t = 0; t < targets(); ++t) {
    std::vector<int64_t> here(all);
    for (const int64_t index : Differing(t)) {
      const int64_t piece = targets_[t].map.pieces[index / targets_[t].map.block];
      if (piece != PieceMap::kNobody) ++here[piece], ++differences[piece];
    }
    std::vector<int64_t> order(all);
    std::iota(order.begin(), order.end(), int64_t{0});
    std::erase_if(order, [&](int64_t p) { return here[p] == 0 || chosen.contains(p); });
    std::ranges::stable_sort(order, std::ranges::greater(), [&](int64_t p) { return here[p]; });
    for (size_t i = 0; i < order.size() && i < kDifferingPieces; ++i) {
      // The most, the fewest, and one between.
      chosen.insert(order[i == 1 ? order.size() - 1 : i == 2 ? order.size() / 2 : 0]);
    }
  }
  size_t equal = 0;
  for (int64_t p = 0; p < all && equal < kEqualPieces; ++p) {
    if (differences[p] == 0) equal += chosen.insert(p).second;
  }
  sample_ = SampleOf({chosen.begin(), chosen.end()});
  untouched_ = {};
}

}  // namespace samebits::harness
