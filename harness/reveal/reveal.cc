#include "harness/reveal/reveal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>

#include "harness/reveal/canonical.h"
#include "model/arith/float32.h"
#include "model/order/evaluate.h"

namespace samebits::harness {
namespace {

using order::Builder;

/// Full significands, so that products with any factor but a power of two are inexact.
constexpr float kInexact[] = {1.2345679f, 1.7654321f, 1.4142135f};
constexpr int kChecks = 100;
constexpr int kCompared = 64;
constexpr int kMaxFraction = 40;

/// Which terms join their sum fused.
class Fusion {
 public:
  Fusion(const Reduction& reduction, Prober* prober, const Joins& joins)
      : reduction_(reduction), prober_(*prober), joins_(joins), fused_(joins.nodes.size()) {}

  /// False if no input can tell.
  bool Find() {
    if (reduction_.terms() == TermKind::kSquares && reduction_.offset()) return false;
    for (size_t n = 0; n < joins_.nodes.size(); ++n) {
      const auto& children = joins_.nodes[n].children;
      if (children.size() != 2) continue;
      for (const auto& [term, other] :
           {std::pair(children[0], children[1]), std::pair(children[1], children[0])}) {
        if (joins_.nodes[term].leaf < 0) continue;
        candidates_.push_back({term, joins_.nodes[term].leaf, joins_.LeavesBelow(other).front()});
      }
    }
    if (candidates_.empty()) return false;
    if (reduction_.terms() != TermKind::kScaled) return Tiny();
    if (!prober_.exact()) return false;
    Inexact();
    return true;
  }

  bool IsFused(int node) const { return fused_[node]; }
  bool any() const { return std::ranges::find(fused_, true) != fused_.end(); }

 private:
  struct Candidate {
    int node, term, onto;
  };

  /// The sum of x c and -x c is not zero if either product is fused onto the other, and has the
  /// sign of the error x c - RN(x c) if it is the first.
  void Inexact() {
    for (const float x : kInexact) {
      std::vector<Probe> probes;
      for (const Candidate& c : candidates_) {
        probes.push_back({{{c.term, x}, {c.onto, -x}}});
        probes.push_back({{{c.term, x}}});
        probes.push_back({{{c.term, 1.0f}}});
      }
      const std::vector<float> sums = prober_.Run(probes);
      for (size_t i = 0; i < candidates_.size(); ++i) {
        const float rest = sums[3 * i];
        // Exact: the product of two float32 in double.
        const double error = double{x} * double{sums[3 * i + 2]} - double{sums[3 * i + 1]};
        if (rest != 0 && (rest > 0) == (error > 0)) fused_[candidates_[i].node] = true;
      }
    }
  }

  /// Products of half the smallest number onto one such number: 1 if rounded before, else 2.
  bool Tiny() {
    const bool squares = reduction_.terms() == TermKind::kSquares;
    const float factor = squares ? 1.0f : 0x1p-75f;
    const float half = 0x1p-75f, one = squares ? 0x1.8p-75f : 0x1p-74f;  // 1.125 units rounds to 1
    std::vector<Probe> probes = {{{{candidates_[0].onto, one}}}};
    for (const Candidate& c : candidates_) probes.push_back({{{c.term, half}, {c.onto, one}}});
    const std::vector<float> sums = prober_.Run(probes, factor);
    if (sums[0] != 0x1p-149f || !prober_.exact()) return false;  // flushed, or not to be seen
    for (size_t i = 0; i < candidates_.size(); ++i) {
      fused_[candidates_[i].node] = sums[i + 1] == 0x1p-148f;
    }
    return true;
  }

  const Reduction& reduction_;
  Prober& prober_;
  const Joins& joins_;
  std::vector<bool> fused_;  // per node of the joins
  std::vector<Candidate> candidates_;
};

/// The tree of the notation.
class TreeMaker {
 public:
  TreeMaker(const Joins& joins, const Fusion& fusion) : joins_(joins), fusion_(fusion) {}

  order::Tree Make(std::string name, int leaves) {
    const int root = Visit(joins_.root());
    return builder_.Finish(std::move(name), leaves, root);
  }

 private:
  int Visit(int n) {
    const Joins::Node& node = joins_.nodes[n];
    if (node.leaf >= 0) return builder_.Leaf(node.leaf);
    if (node.children.size() > 2) return Block(node);
    int onto = node.children[0], term = node.children[1];
    if (fusion_.IsFused(onto)) std::swap(onto, term);
    if (!fusion_.IsFused(term)) return builder_.Add(Visit(onto), Visit(term));
    std::vector<int> chain = {joins_.nodes[term].leaf};
    int below = onto;  // fused terms below belong to the same chain
    while (joins_.nodes[below].children.size() == 2) {
      int left = joins_.nodes[below].children[0], right = joins_.nodes[below].children[1];
      if (fusion_.IsFused(left)) std::swap(left, right);
      if (!fusion_.IsFused(right)) break;
      chain.insert(chain.begin(), joins_.nodes[right].leaf);
      below = left;
    }
    return builder_.Chain(chain, Visit(below));
  }

  int Block(const Joins::Node& node) {
    std::vector<int> terms;
    int accumulator = -1;
    for (const int child : node.children) {
      if (joins_.nodes[child].leaf >= 0) {
        terms.push_back(joins_.nodes[child].leaf);
        continue;
      }
      if (accumulator >= 0) {
        throw std::runtime_error("one operation sums several partial sums: no notation for it");
      }
      accumulator = Visit(child);
    }
    std::ranges::sort(terms);
    return builder_.Matrix(terms, accumulator < 0 ? builder_.Zero() : accumulator);
  }

  const Joins& joins_;
  const Fusion& fusion_;
  Builder builder_;
};

struct Block {
  std::vector<int> terms;
  int accumulated = -1;  // a term of its accumulator
};

/// With the most terms, among those one with an accumulator.
Block LargestBlock(const Joins& joins) {
  Block largest;
  for (const Joins::Node& node : joins.nodes) {
    if (node.children.size() < 3) continue;
    Block block;
    for (const int child : node.children) {
      if (joins.nodes[child].leaf >= 0) {
        block.terms.push_back(joins.nodes[child].leaf);
      } else {
        block.accumulated = joins.LeavesBelow(child).front();
      }
    }
    const auto rank = [](const Block& b) { return std::pair(b.terms.size(), b.accumulated >= 0); };
    if (rank(block) > rank(largest)) largest = std::move(block);
  }
  return largest;
}

/// What is left of a tiny negative accumulator beside two large products that cancel: nothing where
/// all are aligned together, a unit of the alignment where it is rounded toward minus infinity.
std::optional<bool> AccumulatorIsLate(const Block& block, Prober* prober) {
  if (block.accumulated < 0) return std::nullopt;
  const float tiny = -0x1p-30f, large = 0x1p14f;
  const float sum = prober->Run(
      {{{{block.accumulated, tiny}, {block.terms[0], large}, {block.terms[1], -large}}}})[0];
  if (sum == tiny) return std::nullopt;
  return sum != 0.0f;
}

/// Length and width of the largest block.
std::optional<BlockFacts> MeasureBlock(const Joins& joins, Prober* prober) {
  const Block block = LargestBlock(joins);
  const std::vector<int>& largest = block.terms;
  if (largest.size() < 3) return std::nullopt;
  BlockFacts facts;
  facts.late = AccumulatorIsLate(block, prober);
  facts.products = static_cast<int>(largest.size());
  std::vector<Probe> probes;
  for (int bits = 1; bits <= kMaxFraction; ++bits) {
    probes.push_back(
        {{{largest[0], 1.0f}, {largest[1], -1.0f}, {largest[2], std::ldexp(1.0f, -bits)}}});
  }
  const std::vector<float> sums = prober->Run(probes);
  int kept = 0;
  while (kept < kMaxFraction && sums[kept] != 0) ++kept;
  if (kept < kMaxFraction) facts.fraction_bits = kept;
  if (prober->exact() && largest.size() >= 4 && kept >= 24) {
    const float half = 0x1p-24f;  // three of them: one and a half units in the last place of 1
    const float sum = prober->Run(
        {{{{largest[0], 1.0f}, {largest[1], half}, {largest[2], half}, {largest[3], half}}}})[0];
    if (sum == 1.0f + 0x1p-23f) facts.rounding = "toward zero";
    if (sum == 1.0f + 0x1p-22f) facts.rounding = "nearest";
  }
  return facts;
}

/// Further questions, spread over all sums of a launch.
void Check(const Joins& joins, int leaves, Prober* prober, Revealed* revealed) {
  if (leaves < 3) return;
  std::mt19937 random(2);
  std::vector<Triple> triples;
  while (triples.size() < kChecks) {
    const auto draw = [&] { return static_cast<int>(random() % static_cast<unsigned>(leaves)); };
    const Triple triple = {draw(), draw(), draw()};
    if (triple.i == triple.j || triple.i == triple.k || triple.j == triple.k) continue;
    triples.push_back(triple);
  }
  const std::vector<FirstPair> answers = prober->AskSpread(triples);
  for (size_t t = 0; t < triples.size(); ++t) {
    revealed->contradicted += answers[t] != joins.Answer(triples[t]);
  }
  revealed->checked = kChecks;
}

/// A value that a term of the kind can have, its significand full where that is not bf16.
float RandomValue(TermKind kind, std::mt19937* random) {
  const uint32_t bits = (*random)();
  const auto exponent = static_cast<int>(bits >> 28 & 3u);  // 0..3
  if (kind == TermKind::kScaled) {
    const float size = std::ldexp(1.0f + static_cast<float>(bits & 0x7FFFFFu) * 0x1p-23f, exponent);
    return (bits >> 31) != 0 ? -size : size;
  }
  const float bf16 = 1.0f + static_cast<float>(bits & 0x7Fu) * 0x1p-7f;
  if (kind == TermKind::kSquares) return std::ldexp(bf16, 5 + exponent);  // at least 32
  return std::ldexp((bits >> 31) != 0 ? -bf16 : bf16, exponent);
}

/// Sums of random values against the tree, bit for bit.
void Compare(const Reduction& reduction, int leaves, Prober* prober, Revealed* revealed) {
  if (!prober->exact() || reduction.offset() || order::Count(revealed->tree).matrix > 0) return;
  const TermKind kind = reduction.terms();
  const float factor = kind == TermKind::kScaled ? prober->Run({{{{0, 1.0f}}}}).front() : 1.0f;
  std::mt19937 random(3);
  std::vector<Probe> probes(kCompared);
  for (Probe& probe : probes) {
    for (int i = 0; i < leaves; ++i) probe.terms.push_back({i, RandomValue(kind, &random)});
  }
  const std::vector<float> sums = prober->RunSpread(probes);
  for (size_t s = 0; s < sums.size(); ++s) {
    std::vector<float> a, b(static_cast<size_t>(leaves), factor);
    for (const Probe::Term& term : probes[s].terms) a.push_back(term.value);
    const float expected = order::SumProducts(revealed->tree, a.data(),
                                              kind == TermKind::kSquares ? a.data() : b.data());
    revealed->unequal += arith::ToBits(sums[s]) != arith::ToBits(expected);
  }
  revealed->compared = kCompared;
}

bool ProductsExact(const Revealed& revealed) { return !revealed.fused.has_value(); }

}  // namespace

Revealed Reveal(const Kernel& kernel, const Reduction& reduction, const Settings& config,
                const Launcher& launcher) {
  Prober prober(kernel, reduction, config, launcher);
  const int leaves = reduction.leaves(config);
  const Joins joins =
      FindJoins(leaves, [&](const std::vector<Triple>& triples) { return prober.Ask(triples); });
  Fusion fusion(reduction, &prober, joins);
  Revealed revealed;
  if (fusion.Find()) revealed.fused = fusion.any();
  revealed.tree = TreeMaker(joins, fusion).Make("revealed", leaves);
  revealed.block = MeasureBlock(joins, &prober);
  if (reduction.terms() != TermKind::kSquares && prober.exact()) {
    revealed.plus_zero = !std::signbit(prober.Run({{{}, -0.0f}})[0]);
  }
  Check(joins, leaves, &prober, &revealed);
  Compare(reduction, leaves, &prober, &revealed);
  revealed.probes = prober.probes();
  revealed.launches = prober.launches();
  return revealed;
}

namespace {

std::string BlockDifference(const Revealed& revealed, const units::MatrixUnit* unit) {
  if (!revealed.block || unit == nullptr) return "";
  const bool exact = unit->op == units::BlockSum::kExact;
  const std::optional<int> bits = exact ? std::nullopt : std::optional(unit->fraction_bits);
  if (revealed.block->fraction_bits != bits) {
    const auto text = [](const std::optional<int>& b) {
      return b ? fmt::format("{} fraction bits", *b) : std::string("every bit");
    };
    return fmt::format("the unit keeps {} of a product, the contract's {}",
                       text(revealed.block->fraction_bits), text(bits));
  }
  const bool late = unit->op == units::BlockSum::kLate;
  if (revealed.block->late && *revealed.block->late != late) {
    return fmt::format("the accumulator is aligned {} the products, the contract's {} them",
                       late ? "with" : "after", late ? "after" : "with");
  }
  const bool nearest = exact || late || unit->rounding == units::Rounding::kNearestEven;
  const std::string rounding = nearest ? "nearest" : "toward zero";
  if (!revealed.block->rounding.empty() && revealed.block->rounding != rounding) {
    return fmt::format("the unit rounds {}, the contract's {}", revealed.block->rounding, rounding);
  }
  return "";
}

/// The sign of a sum of products that are all -0, by the contract's tree.
std::string ZeroDifference(const Revealed& revealed, const order::Tree& tree, bool has_start) {
  if (!revealed.plus_zero || order::Count(tree).matrix > 0) return "";
  const std::vector<float> a(static_cast<size_t>(tree.leaves), -0.0f), b(a.size(), 1.0f);
  const float sum = order::SumProducts(tree, a.data(), b.data(), has_start ? -0.0f : 0.0f);
  const bool plus = !std::signbit(sum);
  if (plus == *revealed.plus_zero) return "";
  return fmt::format("a sum of negative zeros is {}0, by the contract {}0",
                     *revealed.plus_zero ? '+' : '-', plus ? '+' : '-');
}

}  // namespace

Judgement Judge(const Reduction& reduction, const Settings& config, const Contract& contract,
                const Revealed& revealed) {
  Judgement judgement;
  const ReductionOrder order = reduction.Order(config, contract);
  const bool has_start = reduction.has_start(config);
  judgement.contract = order.tree;
  judgement.difference =
      order::FirstDifference(revealed.tree, Canonical(order, has_start, ProductsExact(revealed)));
  judgement.other = BlockDifference(revealed, order.unit);
  if (judgement.other.empty()) judgement.other = ZeroDifference(revealed, order.tree, has_start);
  if (judgement.other.empty() && revealed.contradicted > 0) {
    judgement.other =
        fmt::format("{} of {} further probes do not fit one tree: the order depends on the place",
                    revealed.contradicted, revealed.checked);
  }
  if (judgement.other.empty() && revealed.unequal > 0) {
    judgement.other = fmt::format(
        "{} of {} sums of random values have other bits than this tree gives them: "
        "something is rounded in another way",
        revealed.unequal, revealed.compared);
  }
  return judgement;
}

}  // namespace samebits::harness
