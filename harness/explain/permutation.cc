#include "harness/explain/permutation.h"

#include <algorithm>
#include <vector>

#include "harness/compare/element.h"

namespace samebits::harness {
namespace {

constexpr int64_t kMaxExtent = 4096;  // every index is tried for every other one

/// Slices of the two tensors along one dimension.
class Slices {
 public:
  Slices(const Observation& seen, const Tensor& right, int dim)
      : seen_(seen.values), right_(right), extent_(seen.values.spec.shape[dim]) {
    const TensorSpec& spec = seen_.spec;
    for (size_t d = dim + 1; d < spec.shape.size(); ++d) inner_ *= spec.shape[d];
    outer_ = spec.elements() / std::max<int64_t>(1, extent_ * inner_);
    if (golden::CountOf(seen.covered) == spec.elements()) return;
    captured_.resize(spec.elements());
    for (const Range& range : seen.covered) {
      std::fill(captured_.begin() + range.begin, captured_.begin() + range.end, true);
    }
  }

  int64_t extent() const { return extent_; }
  /// What was captured at `at` are the right values of `from`.
  bool Equal(int64_t at, int64_t from) const {
    return All(at, [&](int64_t i) {
      return ElementBits(seen_, i) == ElementBits(right_, i + (from - at) * inner_);
    });
  }
  bool Captured(int64_t at) const {
    return !All(at, [](int64_t) { return false; });
  }

 private:
  /// Holds for every captured element of the slice.
  template <typename Holds>
  bool All(int64_t at, const Holds& holds) const {
    for (int64_t o = 0; o < outer_; ++o) {
      const int64_t first = (o * extent_ + at) * inner_;
      for (int64_t i = first; i < first + inner_; ++i) {
        if ((captured_.empty() || captured_[i]) && !holds(i)) return false;
      }
    }
    return true;
  }

  const Tensor& seen_;
  const Tensor& right_;
  const int64_t extent_;
  int64_t inner_ = 1, outer_ = 1;
  std::vector<bool> captured_;  // empty: everything
};

/// Every slice from another one; of several that fit, the one that continues a run. Empty if a
/// captured slice has none.
std::vector<int64_t> SourceOf(const Slices& slices) {
  const int64_t n = slices.extent();
  std::vector<int64_t> source(n, -1);
  std::vector<bool> used(n);
  for (const bool captured : {true, false}) {
    for (int64_t at = 0; at < n; ++at) {
      if (slices.Captured(at) != captured) continue;
      const auto fits = [&](int64_t from) {
        return from < n && !used[from] && slices.Equal(at, from);
      };
      int64_t found = at > 0 ? source[at - 1] + 1 : 0;
      if (!fits(found)) found = at;
      for (int64_t from = 0; !fits(found) && from <= n; ++from) found = from;
      if (found >= n) return {};
      used[found] = true;
      source[at] = found;
    }
  }
  return source;
}

std::optional<Transform> Along(const Observation& seen, const Tensor& right, int dim) {
  const Slices slices(seen, right, dim);
  const int64_t n = slices.extent();
  if (n < 2 || n > kMaxExtent) return std::nullopt;
  std::vector<int64_t> source = SourceOf(slices);
  if (source.empty() || std::ranges::is_sorted(source)) return std::nullopt;
  for (const Transform& simple : TransformsOf(right.spec)) {
    if (simple.dim != dim || !MapsIndices(simple)) continue;
    bool same = true;
    for (int64_t i = 0; same && i < n; ++i) same = SourceIndex(simple, n, i) == source[i];
    if (same) return simple;
  }
  return Transform{.kind = Transform::Kind::kPermuted, .dim = dim, .source = std::move(source)};
}

}  // namespace

std::optional<Transform> FindPermutation(const Observation& seen, const Tensor& right) {
  for (int dim = 0; dim < static_cast<int>(right.spec.shape.size()); ++dim) {
    if (auto found = Along(seen, right, dim)) return found;
  }
  return std::nullopt;
}

}  // namespace samebits::harness
