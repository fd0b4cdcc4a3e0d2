#include "harness/explain/bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/compare/element.h"
#include "harness/explain/traced_element.h"
#include "model/parallel.h"

namespace samebits::harness {
namespace {

constexpr double kUnit = 0x1p-24, kUnitOfDouble = 0x1p-53;
constexpr double kOutside = std::numeric_limits<double>::infinity();

struct Interval {
  double exact = 0, radius = 0;
};

Interval IntervalOf(const SumData& sum, bool starts) {
  double exact = sum.start, magnitude = std::abs(double{sum.start});
  double terms = starts && sum.start != 0 ? 1 : 0;
  for (size_t i = 0; i < sum.a.size(); ++i) {
    const double term = double{sum.a[i]} * sum.b[i];  // exact
    exact += term;
    magnitude += std::abs(term);
    if (term != 0) ++terms;  // adding a zero is exact
  }
  const double roundings = sum.products ? terms : std::max(0.0, terms - 1);
  const double gamma = roundings * kUnit / (1 - roundings * kUnit);
  const double underflow = sum.products ? terms * 0x1p-150 : 0;
  return {exact, gamma * magnitude + underflow + terms * kUnitOfDouble * magnitude};
}

float Down(double x) {
  const auto nearest = static_cast<float>(x);
  if (double{nearest} <= x) return nearest;
  return std::nextafter(nearest, -std::numeric_limits<float>::infinity());
}

float Up(double x) { return -Down(-x); }

/// Share of the way from what was computed to the farthest result of the intervals' ends; more than
/// 1 outside.
double ShareOfResults(const TracedElement& element, const std::vector<Interval>& intervals,
                      DType dtype) {
  const double computed = ToFloat(dtype, element.computed());
  const double observed = ToFloat(dtype, element.observed());
  double low = computed, high = computed;
  for (size_t corner = 0; corner < size_t{1} << intervals.size(); ++corner) {
    std::vector<float> values;
    for (size_t i = 0; i < intervals.size(); ++i) {
      const auto& [exact, radius] = intervals[i];
      values.push_back((corner >> i & 1) != 0 ? Up(exact + radius) : Down(exact - radius));
    }
    const double end = ToFloat(dtype, element.With(element.sums().front().name, values));
    low = std::min(low, end);
    high = std::max(high, end);
  }
  const double reach = observed < computed ? computed - low : high - computed;
  const double distance = std::abs(observed - computed);
  return distance <= reach ? distance / reach : kOutside;  // NaN is outside
}

/// The sum of the tree is one of float32 operations that keep subnormals.
bool IsPlain(const order::Tree& tree, const SumData& sum) {
  return order::Count(tree).matrix == 0 && KeepsSubnormals(tree, sum);
}

bool Starts(const order::Tree& tree) {
  return std::ranges::any_of(
      tree.nodes, [](const order::Node& node) { return node.kind == order::Node::Kind::kStart; });
}

/// Of the bound; infinite where nothing can be said.
double Share(const TracedElement& element, const std::vector<Sum>& sums, DType dtype) {
  constexpr size_t kMostSums = 2;
  if (!element.sound() || element.sums().empty() || element.sums().size() > kMostSums) {
    return kOutside;
  }
  const auto sum = std::ranges::find(sums, element.sums().front().name, &Sum::name);
  if (sum == sums.end()) return kOutside;
  std::vector<Interval> intervals;
  for (const SumData& data : element.sums()) {
    if (data.name != sum->name || !IsPlain(sum->tree, data)) return kOutside;
    intervals.push_back(IntervalOf(data, Starts(sum->tree)));
  }
  if (!element.sums().front().is_element) return ShareOfResults(element, intervals, dtype);
  const double observed = ToFloat(dtype, element.observed());
  const double share = std::abs(observed - intervals.front().exact) / intervals.front().radius;
  return share <= 1 ? share : kOutside;
}

}  // namespace

std::optional<OrderBound> WithinBounds(const StageRunner& runner, const Hypothesis& found,
                                       size_t target, const std::vector<int64_t>& differing,
                                       size_t limit) {
  const Evidence& evidence = runner.evidence();
  if (differing.empty() || evidence.kernel->EarlierLaunches(evidence.config)) return std::nullopt;
  const auto sums =
      evidence.kernel->Sums(Changed(evidence.config, found), Changed(evidence.contract, found));
  const size_t count = std::min(limit, differing.size());
  std::vector<double> shares(count);
  const auto index = [&](size_t i) { return differing[i * differing.size() / count]; };
  ParallelFor(static_cast<int64_t>(count), runner.threads(), [&](int64_t i) {
    const TracedElement element(&runner, found, target, index(i));
    shares[i] = Share(element, sums, runner.spec(target).dtype);
  });
  const double worst = *std::ranges::max_element(shares);
  if (!std::isfinite(worst)) return std::nullopt;
  const TracedElement first(&runner, found, target, index(0));
  const SumData& sum = first.sums().front();
  const auto named = std::ranges::find(sums, sum.name, &Sum::name);
  const int terms = static_cast<int>(sum.a.size()) + Starts(named->tree);
  return OrderBound{sum.name, terms, static_cast<int64_t>(count), worst};
}

}  // namespace samebits::harness
