#include "harness/reveal/prober.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "harness/compare/element.h"

namespace samebits::harness {
namespace {

/// Larger than 128 units by more than a float32 holds, in every type that a term can have.
constexpr float kHuge = 0x1p40f;
/// Squares: 2^36, whose neighbours are 2^13 apart, and a square of 0.35 times that: one is lost
/// when it joins the large one, two that met before count.
constexpr float kLargeRoot = 0x1p18f, kSmallRoot = 53.5f;
constexpr int64_t kMostValues = int64_t{1} << 26;  // of one launch whose probes are spread
constexpr int64_t kOddStep = 7919;  // so that the places are not all alike in a power of two

/// Zeros, and the integers that the kernel makes.
class NoInputs : public InputSource {
 public:
  std::string_view style() const override { return "realistic"; }
  uint64_t Draw(std::string_view, uint64_t) const override { return 0; }
  void Fill(const Recipe&, Tensor* tensor) const override {
    std::ranges::fill(tensor->data, std::byte{0});
  }
};

std::string ShowingText(const std::vector<Showing>& shows) {
  std::string text;
  for (const Showing& s : shows) {
    text += fmt::format("{}{}/{}", text.empty() ? "" : " or ", GroupName(s.role), s.tensor);
  }
  return text;
}

/// Do i and j meet before k? Terms of both signs: what is left of k beside two huge terms that
/// cancel. Squares: whether i and j together reach the last bit of a large k.
Probe Question(TermKind kind, int i, int j, int k) {
  if (kind == TermKind::kSquares) {
    return {{{i, kSmallRoot}, {j, kSmallRoot}, {k, kLargeRoot}}};
  }
  return {{{i, kHuge}, {j, -kHuge}, {k, 1.0f}}};
}

}  // namespace

Prober::Prober(const Kernel& kernel, const Reduction& reduction, const Settings& config,
               Launcher launcher)
    : kernel_(kernel), reduction_(reduction), config_(config), launcher_(std::move(launcher)) {
  for (const TensorSpec& spec : Tensors(kernel.Plan(config, true))) {
    if (spec.role == Role::kInput) zeros_.tensors.emplace_back(spec);
  }
  kernel_.GenerateInputs(config, NoInputs(), &zeros_);
}

void Prober::Launch(std::span<const Probe> probes, std::span<const int64_t> places, float factor,
                    std::vector<float>* sums) {
  const auto leaves = static_cast<size_t>(reduction_.leaves(config_));
  std::vector<float> values((static_cast<size_t>(places.back()) + 1) * leaves);
  for (size_t p = 0; p < probes.size(); ++p) {
    const auto row = std::span(values).subspan(static_cast<size_t>(places[p]) * leaves, leaves);
    std::ranges::fill(row, probes[p].others);
    for (const Probe::Term& term : probes[p].terms) row[term.leaf] = term.value;
  }
  TensorSet inputs = zeros_;
  reduction_.Prepare(config_, values, factor, &inputs);
  const TensorSet results = launcher_(inputs);
  ++launches_;
  for (const int64_t place : places) {
    const std::vector<Showing> shows = reduction_.Shows(config_, place);
    const auto shown = std::ranges::find_if(
        shows, [&](const Showing& s) { return results.Find(s.role, s.tensor) != nullptr; });
    if (shown == shows.end()) {
      throw ConfigError(
          fmt::format("{}: expected {} among the results", reduction_.name(), ShowingText(shows)));
    }
    exact_ = shown->exact;
    const Tensor& tensor = results.At(shown->role, shown->tensor);
    sums->push_back(ToFloat(tensor.spec.dtype, ElementBits(tensor, shown->index)));
  }
}

std::vector<float> Prober::Run(const std::vector<Probe>& probes, float factor) {
  std::vector<float> sums;
  const auto capacity = static_cast<size_t>(reduction_.capacity(config_));
  for (size_t first = 0; first < probes.size(); first += capacity) {
    std::vector<int64_t> places(std::min(capacity, probes.size() - first));
    std::iota(places.begin(), places.end(), 0);
    Launch(std::span(probes).subspan(first, places.size()), places, factor, &sums);
  }
  probes_ += static_cast<int64_t>(probes.size());
  return sums;
}

std::vector<float> Prober::RunSpread(const std::vector<Probe>& probes) {
  const auto count = static_cast<int64_t>(probes.size());
  const int64_t most = kMostValues / reduction_.leaves(config_);
  const int64_t all = std::min(reduction_.capacity(config_), most);
  if (all <= count) return Run(probes);
  std::vector<int64_t> places;
  for (int64_t p = 0; p < count; ++p) {  // one in each of as many stretches
    const int64_t first = p * all / count, next = (p + 1) * all / count;
    places.push_back(first + p * kOddStep % (next - first));
  }
  std::vector<float> sums;
  Launch(probes, places, 1.0f, &sums);
  probes_ += count;
  return sums;
}

std::vector<FirstPair> Prober::Ask(const std::vector<Triple>& triples) {
  return Ask(triples, [this](const std::vector<Probe>& probes) { return Run(probes); });
}

std::vector<FirstPair> Prober::AskSpread(const std::vector<Triple>& triples) {
  return Ask(triples, [this](const std::vector<Probe>& probes) { return RunSpread(probes); });
}

std::vector<FirstPair> Prober::Ask(const std::vector<Triple>& triples, const Runner& run) {
  const TermKind kind = reduction_.terms();
  std::vector<Probe> probes;
  for (const auto& [i, j, k] : triples) {
    probes.push_back(Question(kind, i, j, k));
    probes.push_back(Question(kind, i, k, j));
    probes.push_back(Question(kind, j, k, i));
  }
  const std::vector<float> sums = run(probes);
  // A square alone; known without a probe, but for what the kernel makes of 2^18.
  const float nothing =
      kind == TermKind::kSquares ? Run({{{{triples[0].i, kLargeRoot}}}}).front() : 0.0f;
  std::vector<FirstPair> answers;
  for (size_t t = 0; t < triples.size(); ++t) {
    std::array<bool, 3> met;
    for (size_t q = 0; q < 3; ++q) met[q] = sums[3 * t + q] != nothing;
    // One pair meets first in a tree of additions; in a sum of many terms none does (truncated) or
    // every one does (exact).
    const int pairs = met[0] + met[1] + met[2];
    answers.push_back(pairs != 1 ? FirstPair::kNone
                      : met[0]   ? FirstPair::kIJ
                      : met[1]   ? FirstPair::kIK
                                 : FirstPair::kJK);
  }
  return answers;
}

}  // namespace samebits::harness
