#include "harness/explain/scalar_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "harness/compare/element.h"
#include "harness/explain/hypothesis.h"

namespace samebits::harness {
namespace {

constexpr int kSecants = 24;
constexpr int kElements = 3;  // that are solved for, one after the other
constexpr int kDigits = 9;    // of a float32

double ValueOf(const TensorSpec& spec, uint32_t bits) { return ToFloat(spec.dtype, bits); }

}  // namespace

ScalarSearch::ScalarSearch(StageRunner* runner, size_t target, Hypothesis found)
    : runner_(*runner),
      target_(target),
      found_(std::move(found)),
      config_(runner->evidence().config) {}

std::vector<Deviation> ScalarSearch::Solve() {
  std::vector<Deviation> solved;
  for (const Axis& axis : runner_.evidence().kernel->axes()) {
    if (axis.kind != Axis::Kind::kReal) continue;
    if (auto change = Solve(axis)) solved.push_back(std::move(*change));
  }
  return solved;
}

std::optional<Deviation> ScalarSearch::DeviationTo(const Axis& axis, double value) const {
  return AxisDeviation(*runner_.evidence().kernel, config_, axis, fmt::format("{:.9g}", value));
}

std::optional<double> ScalarSearch::ValueUnder(const Axis& axis, double value) {
  const auto change = DeviationTo(axis, value);
  Hypothesis hypothesis = found_;
  if (change) hypothesis.push_back(*change);
  if (!change && std::strtod(config_.at(axis.name).c_str(), nullptr) != value) return std::nullopt;
  left_ = runner_.RunProbe(hypothesis).marked[target_];
  const double computed = ValueOf(runner_.spec(target_), runner_.ComputedBits(target_, element_));
  return std::isfinite(computed) ? std::optional(computed) : std::nullopt;
}

std::optional<int64_t> ScalarSearch::Worst() const {
  const TensorSpec& spec = runner_.spec(target_);
  const Tensor& seen = runner_.evidence().observed[target_].values;
  std::optional<int64_t> worst;
  double most = 0;
  for (const int64_t i : runner_.probe_marks()) {
    const double x = ValueOf(spec, runner_.ComputedBits(target_, i));
    const double y = ValueOf(spec, ElementBits(seen, i));
    const double error = std::abs(x - y) / (std::abs(x) + std::abs(y));
    if (std::isfinite(error) && error > most) most = error, worst = i;
  }
  return worst;
}

std::optional<double> ScalarSearch::Secant(const Axis& axis, double a, double b) {
  const double wanted = ValueOf(runner_.spec(target_),
                                ElementBits(runner_.evidence().observed[target_].values, element_));
  auto fa = ValueUnder(axis, a), fb = ValueUnder(axis, b);
  for (int i = 0; i < kSecants && fa && fb; ++i) {
    if (left_ == 0 || *fb == wanted) return b;
    if (*fa == *fb) return i == 0 ? std::nullopt : std::optional(b);  // it does not act here
    const double next = b + (wanted - *fb) * (b - a) / (*fb - *fa);
    if (!std::isfinite(next) || next == b) return b;
    a = b, fa = fb;
    b = next, fb = ValueUnder(axis, b);
    for (int half = 0; !fb && half < 6; ++half) fb = ValueUnder(axis, b = (a + b) / 2);
  }
  return fb ? std::optional(b) : std::nullopt;
}

std::optional<Deviation> ScalarSearch::Simplest(const Axis& axis, double value) {
  for (int digits = 1; digits <= kDigits; ++digits) {
    const std::string text = fmt::format("{:.{}g}", value, digits);
    const double simple = std::strtod(text.c_str(), nullptr);
    const auto change = DeviationTo(axis, simple);
    if (change && ValueUnder(axis, simple) && left_ == 0) return change;
  }
  return std::nullopt;
}

std::optional<Deviation> ScalarSearch::Solve(const Axis& axis) {
  const double now = std::strtod(config_.at(axis.name).c_str(), nullptr);
  runner_.RunProbe(found_);
  double from = now, to = now == 0 ? 1 : now * 1.25;
  for (int i = 0; i < kElements; ++i) {
    const auto worst = Worst();
    if (!worst) return std::nullopt;
    element_ = *worst;
    const auto solved = Secant(axis, from, to);
    if (!solved) return std::nullopt;
    if (auto change = Simplest(axis, *solved)) return change;
    from = to, to = *solved;
    if (from == to) return std::nullopt;
    if (!ValueUnder(axis, *solved)) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace samebits::harness
