#include "harness/reveal/prober.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "harness/compare/element.h"

namespace samebits::harness {
namespace {

/// Larger than 128 units by more than a float32 holds, in every type that a term can have.
constexpr float kHuge = 0x1p40f;
/// Squares: 2^36, whose neighbours are 2^13 apart, and a square of 0.35 times that: one is lost
/// when it joins the large one, two that met before count.
constexpr float kLargeRoot = 0x1p18f, kSmallRoot = 53.5f;

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

void Prober::Launch(const std::vector<Probe>& probes, size_t first, size_t count, float factor,
                    std::vector<float>* sums) {
  const auto leaves = static_cast<size_t>(reduction_.leaves(config_));
  std::vector<float> values(count * leaves);
  for (size_t p = 0; p < count; ++p) {
    const auto row = std::span(values).subspan(p * leaves, leaves);
    std::ranges::fill(row, probes[first + p].others);
    for (const Probe::Term& term : probes[first + p].terms) row[term.leaf] = term.value;
  }
  TensorSet inputs = zeros_;
  reduction_.Prepare(config_, values, factor, &inputs);
  const TensorSet results = launcher_(inputs);
  ++launches_;
  for (size_t p = 0; p < count; ++p) {
    const std::vector<Showing> shows = reduction_.Shows(config_, static_cast<int64_t>(p));
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
    Launch(probes, first, std::min(capacity, probes.size() - first), factor, &sums);
  }
  probes_ += static_cast<int64_t>(probes.size());
  return sums;
}

std::vector<FirstPair> Prober::Ask(const std::vector<Triple>& triples) {
  const TermKind kind = reduction_.terms();
  std::vector<Probe> probes;
  for (const auto& [i, j, k] : triples) {
    probes.push_back(Question(kind, i, j, k));
    probes.push_back(Question(kind, i, k, j));
    probes.push_back(Question(kind, j, k, i));
  }
  const std::vector<float> sums = Run(probes);
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
