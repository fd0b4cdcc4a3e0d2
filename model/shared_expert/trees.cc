#include "model/shared_expert/trees.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "model/shared_expert/derived.h"

namespace samebits::shared_expert {
namespace {

using order::Builder;
using order::Tree;

/// From +0 on.
Tree InSequence(const char* name, const std::vector<int>& terms) {
  Builder b;
  int sum = b.Zero();
  for (const int term : terms) sum = b.Add(sum, b.Leaf(term));
  return b.Finish(name, static_cast<int>(terms.size()), sum);
}

/// Neighbours first, then onto +0.
Tree Pairwise(const char* name, int n) {
  Builder b;
  std::vector<int> nodes;
  for (int i = 0; i < n; ++i) nodes.push_back(b.Leaf(i));
  for (int step = 1; step < n; step *= 2) {
    for (int i = 0; i + step < n; i += 2 * step) nodes[i] = b.Add(nodes[i], nodes[i + step]);
  }
  return b.Finish(name, n, b.Add(b.Zero(), nodes[0]));
}

std::vector<int> Ascending(int n) {
  std::vector<int> terms(n);
  for (int i = 0; i < n; ++i) terms[i] = i;
  return terms;
}

Tree Sources(ConsumerSum choice, int n) {
  std::vector<int> terms = Ascending(n);
  switch (choice) {
    case ConsumerSum::kPairwise:
      return Pairwise("sources", n);
    case ConsumerSum::kDescending:
      std::ranges::reverse(terms);
      return InSequence("sources", terms);
    case ConsumerSum::kAscending:
      return InSequence("sources", terms);
  }
  throw std::logic_error("consumer sum of unknown kind");
}

constexpr std::array<SumField<Trees>, 2> kSums = {{
    {"parts", "partial sums of the CTAs of a cluster (4.3)", "sum", SumTerms::kValues,
     &Trees::parts},
    {"sources", "values of the source ranks (4.9, P6)", "reduced", SumTerms::kValues,
     &Trees::sources},
}};

}  // namespace

Trees MakeTrees(const Config& config, const Choices& choices) {
  Trees trees = {.parts = InSequence("parts", Ascending(Derive(config).ks)),
                 .sources = Sources(choices.consumer_sum, config.tp)};
  ReplaceTrees<Trees>(kSums, choices.orders, &trees);
  return trees;
}

std::vector<Sum> SumsOf(const Trees& trees) { return ListSums<Trees>(kSums, trees); }

}  // namespace samebits::shared_expert
