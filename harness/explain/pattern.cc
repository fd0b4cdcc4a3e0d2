#include "harness/explain/pattern.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>

#include "harness/compare/compare_tensors.h"
#include "harness/compare/element.h"

namespace samebits::harness {
namespace {

constexpr size_t kListed = 4;  // coordinates that are named one by one

/// Of a progression with at least three members and a step of two or more; else 0.
int64_t StepOf(const std::vector<int64_t>& at) {
  if (at.size() < 3) return 0;
  const int64_t step = at[1] - at[0];
  for (size_t i = 2; i < at.size(); ++i) {
    if (at[i] - at[i - 1] != step) return 0;
  }
  return step;
}

/// The affected coordinates among the possible ones, both ascending.
std::string Describe(const std::string& axis, const std::vector<int64_t>& at,
                     const std::vector<int64_t>& possible) {
  if (at.size() == possible.size()) return "";
  if (at.size() == 1) return fmt::format("{}={}", axis, at[0]);
  const bool run = at.back() - at.front() + 1 == static_cast<int64_t>(at.size());
  if (run && at.back() == possible.back()) return fmt::format("{}>={}", axis, at.front());
  if (run && at.front() == possible.front()) return fmt::format("{}<={}", axis, at.back());
  if (run) return fmt::format("{}={}..{}", axis, at.front(), at.back());
  if (const int64_t step = StepOf(at); step > 1) {
    return fmt::format("every {}{} {} from {}", step,
                       step == 2   ? "nd"
                       : step == 3 ? "rd"
                                   : "th",
                       axis, at.front());
  }
  if (at.size() <= kListed) return fmt::format("{}={}", axis, fmt::join(at, ","));
  return fmt::format("{} of {} {}s", at.size(), possible.size(), axis);
}

AxisPattern Along(const std::string& axis, const std::vector<int64_t>& at,
                  const std::vector<int64_t>& possible) {
  return {axis, static_cast<int64_t>(possible.size()), Describe(axis, at, possible),
          static_cast<int64_t>(at.size())};
}

/// Numbers that occur, ascending.
class Occurring {
 public:
  void Add(int64_t number) {
    if (number >= static_cast<int64_t>(seen_.size())) seen_.resize(number + 1);
    seen_[number] = true;
  }
  std::vector<int64_t> list() const {
    std::vector<int64_t> numbers;
    for (size_t i = 0; i < seen_.size(); ++i) {
      if (seen_[i]) numbers.push_back(static_cast<int64_t>(i));
    }
    return numbers;
  }

 private:
  std::vector<bool> seen_;
};
using AxisLists = std::vector<std::vector<int64_t>>;  // per axis

AxisLists ListsOf(const std::vector<Occurring>& axes) {
  AxisLists lists;
  for (const Occurring& axis : axes) lists.push_back(axis.list());
  return lists;
}

/// visit(index) for every index of the ranges.
template <typename Visit>
void ForEach(const std::vector<Range>& ranges, const Visit& visit) {
  for (const Range& range : ranges) {
    for (int64_t i = range.begin; i < range.end; ++i) visit(i);
  }
}

/// Along the dimensions of the tensor.
AxisLists AlongDims(const TensorSpec& spec, const std::vector<Range>& ranges) {
  std::vector<Occurring> axes(spec.shape.size());
  ForEach(ranges, [&](int64_t index) {
    for (size_t d = axes.size(); d-- > 0; index /= spec.shape[d]) {
      axes[d].Add(index % spec.shape[d]);
    }
  });
  return ListsOf(axes);
}

/// Warps, lanes and registers; empty if an element has no owner.
AxisLists AlongThreads(const Kernel& kernel, const TensorSpec& spec,
                       const std::vector<Range>& ranges) {
  std::vector<Occurring> axes(3);
  bool owned = true;
  ForEach(ranges, [&](int64_t index) {
    const auto place = owned ? kernel.Owner(spec, index) : std::nullopt;
    owned = place.has_value();
    if (!owned) return;
    axes[0].Add(place->warp);
    axes[1].Add(place->lane);
    axes[2].Add(place->reg);
  });
  return owned ? ListsOf(axes) : AxisLists();
}

std::vector<Range> Singles(const std::vector<int64_t>& indices) {
  std::vector<Range> ranges;
  for (const int64_t i : indices) ranges.push_back({i, i + 1});
  return ranges;
}

void AddBits(const Observation& seen, const Tensor& computed, const std::vector<int64_t>& differing,
             Pattern* pattern) {
  const DType dtype = seen.values.spec.dtype;
  for (const int64_t index : differing) {
    const uint32_t a = ElementBits(computed, index), b = ElementBits(seen.values, index);
    const auto ulp = UlpDistance(dtype, a, b);
    if (ulp) pattern->max_ulp = std::max(pattern->max_ulp.value_or(0), *ulp);
    pattern->not_numbers += !ulp && dtype != DType::kI32;
    for (uint32_t flipped = a ^ b; flipped != 0; flipped &= flipped - 1) {
      ++pattern->flips[static_cast<size_t>(std::countr_zero(flipped))];
    }
  }
}

}  // namespace

Pattern FindPattern(const Kernel& kernel, const Observation& seen, const Tensor& computed,
                    const std::vector<int64_t>& differing) {
  const TensorSpec& spec = seen.values.spec;
  const std::vector<Range> indices = Singles(differing);
  Pattern pattern = {.dtype = spec.dtype,
                     .differing = static_cast<int64_t>(differing.size()),
                     .elements = CountOf(seen.covered)};
  const AxisLists affected = AlongDims(spec, indices), possible = AlongDims(spec, seen.covered);
  int64_t product = 1;
  for (size_t d = 0; d < spec.dims.size(); ++d) {
    pattern.axes.push_back(Along(spec.dims[d], affected[d], possible[d]));
    product *= pattern.axes.back().affected;
  }
  pattern.dense = product == pattern.differing;
  const AxisLists threads = AlongThreads(kernel, spec, indices);
  const AxisLists all = AlongThreads(kernel, spec, seen.covered);
  const char* const names[] = {"warp", "lane", "register"};
  for (size_t p = 0; p < std::min(threads.size(), all.size()); ++p) {
    pattern.places.push_back(Along(names[p], threads[p], all[p]));
  }
  AddBits(seen, computed, differing, &pattern);
  return pattern;
}

std::string Text(const Pattern& pattern) {
  std::vector<std::string> where, threads;
  for (const AxisPattern& axis : pattern.axes) {
    if (!axis.text.empty()) where.push_back(axis.text);
  }
  for (const AxisPattern& place : pattern.places) {
    if (!place.text.empty()) threads.push_back(place.text);
  }
  std::string text = where.empty() ? "everywhere" : fmt::format("in {}", fmt::join(where, ", "));
  if (!threads.empty()) text += fmt::format(" ({})", fmt::join(threads, ", "));
  text += fmt::format(": {} of {} elements", pattern.differing, pattern.elements);
  if (!where.empty() && pattern.dense) text += ", every one there";
  if (pattern.max_ulp) text += fmt::format(", at most {} ulp", *pattern.max_ulp);
  if (pattern.not_numbers > 0) text += fmt::format(", {} NaN or infinite", pattern.not_numbers);
  int highest = -1;
  for (int bit = 0; bit < 32; ++bit) highest = pattern.flips[bit] > 0 ? bit : highest;
  const int width = static_cast<int>(8 * SizeOf(pattern.dtype));
  if (highest >= 0 && highest < width - 1) {
    text += highest == 0 ? ", only the lowest bit" : fmt::format(", only bits 0..{}", highest);
  }
  return text;
}

}  // namespace samebits::harness
