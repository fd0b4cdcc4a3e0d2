#include "harness/explain/tree_search.h"

#include <algorithm>

namespace samebits::harness {
namespace {

constexpr size_t kDifferingElements = 24, kEqualElements = 8;
constexpr size_t kFitting = 64;  // trees that fit the elements, per sum

/// Up to `count` of them, evenly spread.
std::vector<int64_t> Spread(const std::vector<int64_t>& indices, size_t count) {
  std::vector<int64_t> chosen;
  const size_t n = std::min(count, indices.size());
  for (size_t i = 0; i < n; ++i) chosen.push_back(indices[i * indices.size() / n]);
  return chosen;
}

/// Covered elements that agree, close to those that differ: of the same sums, if of any.
std::vector<int64_t> EqualOnes(const std::vector<Range>& covered,
                               const std::vector<int64_t>& differing, size_t count) {
  std::vector<int64_t> equal;
  for (const int64_t near : Spread(differing, count)) {
    for (int64_t i = near + 1; i < near + 1 + static_cast<int64_t>(count); ++i) {
      const bool is_covered = std::ranges::any_of(
          covered, [&](const Range& range) { return range.begin <= i && i < range.end; });
      if (!is_covered || std::ranges::binary_search(differing, i)) continue;
      equal.push_back(i);
      break;
    }
  }
  return equal;
}

std::vector<const SumData*> Occurrences(const TracedElement& element, const std::string& name) {
  std::vector<const SumData*> list;
  for (const SumData& sum : element.sums()) {
    if (sum.name == name) list.push_back(&sum);
  }
  return list;
}

bool Fits(const order::Tree& tree, const std::string& name, const TracedElement& element,
          order::Subnormals subnormals) {
  std::vector<float> values;
  for (const SumData* sum : Occurrences(element, name)) {
    values.push_back(Evaluate(tree, *sum, subnormals));
  }
  return element.With(name, values) == element.observed();
}

bool HasMatrix(const order::Tree& tree) { return order::Count(tree).matrix > 0; }

bool Fuses(const order::Tree& tree) { return order::Count(tree).fma > 0; }

std::string WordsOf(const order::Tree& tree, const order::Terms& terms) {
  const std::optional<order::Form> form = order::FormOf(tree, terms);
  return form ? order::Words(*form, terms.products && !terms.exact_products)
              : "the contract's " + tree.name;
}

}  // namespace

std::vector<TracedElement> TreeSearch::Trace(size_t target) const {
  const std::vector<int64_t> differing = runner_.Differing(target);
  std::vector<int64_t> indices = Spread(differing, kDifferingElements);
  const auto& covered = runner_.evidence().observed[target].covered;
  const std::vector<int64_t> equal = EqualOnes(covered, differing, kEqualElements);
  indices.insert(indices.end(), equal.begin(), equal.end());
  std::vector<TracedElement> elements;
  for (const int64_t index : indices) {
    elements.emplace_back(&runner_, found_, target, index);
    if (!elements.back().sound()) return {};
  }
  return elements;
}

void TreeSearch::Try(const Sum& sum, const std::vector<TracedElement>& elements,
                     std::vector<Deviation>* fitting) const {
  const auto with_sum = std::ranges::find_if(elements, [&](const TracedElement& element) {
    return !Occurrences(element, sum.name).empty();
  });
  if (with_sum == elements.end() || HasMatrix(sum.tree)) return;
  const SumData& first = *Occurrences(*with_sum, sum.name).front();
  const auto subnormals =
      KeepsSubnormals(sum.tree, first) ? order::Subnormals::kKept : order::Subnormals::kFlushed;
  const bool exact = sum.terms == SumTerms::kExactProducts;
  const auto terms = order::Terms::Of(sum.tree, sum.terms != SumTerms::kValues, exact);
  std::vector<Deviation> found;
  order::ForEachForm(terms, [&](const order::Form& form, const order::Tree& tree) {
    const bool fits = std::ranges::all_of(elements, [&](const TracedElement& element) {
      return Fits(tree, sum.name, element, subnormals);
    });
    if (!fits) return true;
    Deviation change = {.kind = Deviation::Kind::kOrder, .name = sum.name};
    change.to = order::Words(form, terms.products && !exact);
    change.tree = std::make_shared<order::Tree>(tree);
    change.contracts = !exact && Fuses(tree) != Fuses(sum.tree);
    found.push_back(std::move(change));
    return found.size() < kFitting;
  });
  if (found.empty()) return;
  const std::string from = WordsOf(sum.tree, terms);
  for (Deviation& change : found) change.from = from;
  fitting->insert(fitting->end(), found.begin(), found.end());
}

std::vector<Deviation> TreeSearch::Explain(size_t target) {
  const Evidence& evidence = runner_.evidence();
  if (evidence.kernel->EarlierLaunches(evidence.config)) return {};  // traces need their results
  const std::vector<TracedElement> elements = Trace(target);
  if (elements.empty()) return {};
  std::vector<Deviation> fitting;
  const Settings config = Changed(evidence.config, found_);
  for (const Sum& sum : evidence.kernel->Sums(config, Changed(evidence.contract, found_))) {
    Try(sum, elements, &fitting);
  }
  std::erase_if(fitting, [&](const Deviation& change) {
    Hypothesis hypothesis = found_;
    hypothesis.push_back(change);
    return runner_.RunSample(hypothesis).differing[target] > 0;
  });
  std::ranges::stable_sort(fitting, {}, &Deviation::contracts);
  return fitting;
}

}  // namespace samebits::harness
