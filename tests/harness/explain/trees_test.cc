// Sums in an order that no choice of the contract names are named from the bits; and what no known
// order gives is told apart by what any order could.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "harness/compare/element.h"
#include "harness/explain/bounds.h"
#include "model/order/family.h"
#include "tests/harness/explain/scenario.h"

using namespace samebits;
using namespace samebits::testing;
using harness::Deviation;
using harness::Explanation;
using harness::Hypothesis;
using harness::Verdict;
using order::Form;
using order::Join;
using order::Products;
using Kind = Join::Kind;

namespace {

Sum SumOf(const Scenario& scenario, const std::string& name) {
  const Kernel& kernel = *FindKernel(scenario.kernel);
  for (Sum& sum : kernel.Sums(kernel.Complete(scenario.config), kernel.NamedContract(""))) {
    if (sum.name == name) return sum;
  }
  throw std::out_of_range("no sum " + name);
}

Deviation OrderOf(const std::string& sum, order::Tree tree) {
  Deviation change = {.kind = Deviation::Kind::kOrder, .name = sum};
  change.tree = std::make_shared<order::Tree>(std::move(tree));
  return change;
}

using Forms = std::map<std::string, Form>;

Hypothesis Planted(const Scenario& scenario, const Forms& forms) {
  Hypothesis changes;
  for (const auto& [name, form] : forms) {
    const int leaves = SumOf(scenario, name).tree.leaves;
    changes.push_back(OrderOf(name, order::MakeTree(form, leaves)));
  }
  return changes;
}

/// The tree is that of a finding, or of an alternative.
bool Found(const Explanation& explanation, const Deviation& planted) {
  const auto same = [&](const Hypothesis& changes) {
    return std::ranges::any_of(changes, [&](const Deviation& change) {
      return change.kind == Deviation::Kind::kOrder && change.name == planted.name &&
             order::Fingerprint(*change.tree) == order::Fingerprint(*planted.tree);
    });
  };
  return std::ranges::any_of(explanation.findings, [&](const harness::Finding& finding) {
    return same(finding.changes) || std::ranges::any_of(finding.alternatives, same);
  });
}

Explanation Explain(const harness::Evidence& evidence) {
  return harness::Explain(evidence, {.threads = 2});
}

/// All planted at once: each shows in its own stage.
void CheckPlanted(const Scenario& scenario, const Forms& forms) {
  const Hypothesis planted = Planted(scenario, forms);
  const Explanation explanation = Explain(Observe(scenario, planted));
  for (const Deviation& change : planted) {
    BOOST_TEST(Found(explanation, change), change.name << "\n" << Describe(explanation));
  }
  BOOST_TEST(explanation.findings.size() == planted.size(), Describe(explanation));
  BOOST_TEST(Name(explanation.verdict) == "legal_reordering");
}

/// 128 terms over 32 lanes of 4, 32 apart, with these distances.
Form Strided(Products products, std::vector<int> distances) {
  return {.products = products,
          .lane = {{4, 32}},
          .joins = {{Kind::kButterfly, {32, 1}, std::move(distances)}}};
}

/// Some order that no kernel has: two partial sums at a time, drawn at random.
order::Tree RandomTree(int leaves, uint32_t seed) {
  std::mt19937 random(seed);
  order::Builder b;
  std::vector<int> nodes;
  for (int i = 0; i < leaves; ++i) nodes.push_back(b.Leaf(i));
  while (nodes.size() > 1) {
    std::ranges::shuffle(nodes, random);
    const int sum = b.Add(nodes[nodes.size() - 2], nodes.back());
    nodes.resize(nodes.size() - 2);
    nodes.push_back(sum);
  }
  return b.Finish("random", leaves, nodes[0]);
}

/// Observed with another value of one element, so many units of its last place away from zero.
harness::Evidence Moved(harness::Evidence evidence, const std::string& tensor, int64_t index,
                        int ulps) {
  uint32_t& bits = Seen(&evidence, tensor).values.view<uint32_t>()[index];
  bits += ulps;
  return evidence;
}

const Scenario kDecode = {.config = {{"tokens", "2"}, {"heads", "1"}, {"requests", "2"}}};

}  // namespace

BOOST_AUTO_TEST_SUITE(explain_trees)

BOOST_AUTO_TEST_CASE(every_sum_of_kda_decode) {
  CheckPlanted(
      {.config = {{"tokens", "4"}, {"heads", "2"}, {"requests", "4"}}},
      {{"convolution",
        {.products = Products::kFused, .order = {2, 3, 0, 1}, .start = Form::Start::kFirst}},
       {"qk_norm", Strided(Products::kSeparate, {4, 1, 16, 2, 8})},
       // vectors of 4 over 16 lanes
       {"key_dot",
        {.products = Products::kFused,
         .lane = {{4, 1}, {2, 64}},
         .joins = {{Kind::kButterfly, {16, 4}, {1, 2, 4, 8}}}}},
       // a wave of 64 lanes
       {"out_dot",
        {.products = Products::kFused,
         .lane = {{2, 1}},
         .joins = {{Kind::kButterfly, {64, 2}, {32, 16, 8, 4, 2, 1}}}}},
       // 8 splits one after the other
       {"out_norm", {.lane = {{16, 1}}, .joins = {{Kind::kAscending, {8, 16}}}}}});
}

BOOST_AUTO_TEST_CASE(a_tree_is_named_in_words) {
  const Deviation planted =
      OrderOf("key_dot", order::MakeTree(Strided(Products::kFused, {1, 2, 4, 16, 8}), 128));
  const Explanation explanation = Explain(Observe(kDecode, {planted}));
  BOOST_REQUIRE(explanation.findings.size() == 1u);
  BOOST_TEST(explanation.findings[0].sentence ==
             "taps/dot: key_dot is summed 4 terms 32 apart per lane, fused; 32 lanes by butterfly "
             "1, 2, 4, 16, 8 (contract: 4 terms 32 apart per lane, fused; 32 lanes by butterfly 2, "
             "1, 16, 8, 4)");
  BOOST_TEST(explanation.findings[0].alternatives.empty());
  BOOST_TEST(Name(explanation.verdict) == "legal_reordering");
}

/// Another order, and products that are rounded: not the same operations.
BOOST_AUTO_TEST_CASE(a_tree_that_contracts_is_another_computation) {
  const Deviation planted =
      OrderOf("out_dot", order::MakeTree(Strided(Products::kSeparate, {1, 4, 2, 16, 8}), 128));
  const Explanation explanation = Explain(Observe(kDecode, {planted}));
  BOOST_TEST(Found(explanation, planted), Describe(explanation));
  BOOST_TEST(Name(explanation.verdict) == "different_computation");
}

/// Halves of the lanes, as a butterfly of descending distances.
Join Halves(int lanes, int stride = 1) {
  std::vector<int> distances;
  for (int d = lanes / 2; d > 0; d /= 2) distances.push_back(d);
  return {Kind::kButterfly, {lanes, stride}, distances};
}

Form OntoZero(Form form) {
  const bool lane = form.joins.empty();
  form.start = lane ? Form::Start::kFirst : Form::Start::kLast;
  form.from_zero = true;
  return form;
}

BOOST_AUTO_TEST_CASE(sums_of_kda_pre) {
  CheckPlanted({.kernel = "kda_pre", .config = {{"tokens", "4"}, {"nblocks", "7"}}},
               {{"slice", Strided(Products::kSeparate, {8, 4, 2, 1, 16})},
                {"sources", {.lane = {{4, 14}}, .joins = {{Kind::kAscending, {14, 1}}}}},
                {"weights", {.lane = {{2, 1}}, .joins = {{Kind::kAscending, {32, 2}}}}},
                {"mix", OntoZero({.lane = {{8, 1}}, .descending = true})},
                {"mix_norm", Strided(Products::kSeparate, {1, 2, 4, 16, 8})},
                {"waves", OntoZero({.joins = {Halves(8)}})},
                {"qk_norm", {.lane = {{2, 1}}, .joins = {Halves(64, 2)}}},
                {"key_dot", Strided(Products::kSeparate, {2, 1, 4, 8, 16})},
                {"value_chunk", OntoZero({.joins = {Halves(16)}})}});
}

/// The sums of kda_pre that are missing above show in bf16 alone, where realistic inputs hide their
/// order: convolution, out_dot, mix_slices, out_norm. They can be tried all the same.
BOOST_AUTO_TEST_CASE(every_sum_can_have_another_tree) {
  for (const char* const name : {"kda_decode", "kda_pre", "shared_expert"}) {
    const Kernel& kernel = *FindKernel(name);
    const Settings config = kernel.Complete({});
    Contract contract = kernel.NamedContract("");
    for (const Sum& sum : kernel.Sums(config, contract)) {
      if (order::Count(sum.tree).matrix > 0) continue;
      const auto terms = order::Terms::Of(sum.tree, sum.terms != SumTerms::kValues, false);
      order::ForEachForm(terms, [&](const Form&, const order::Tree& tree) {
        contract.orders[sum.name] = tree;
        return order::Fingerprint(tree) == order::Fingerprint(sum.tree);
      });
    }
    for (const Sum& sum : kernel.Sums(config, contract)) {
      const auto planted = contract.orders.find(sum.name);
      if (planted != contract.orders.end()) BOOST_TEST((sum.tree == planted->second), sum.name);
    }
    contract.orders = {{"no_such_sum", order::Tree{}}};
    BOOST_CHECK_THROW(kernel.Sums(config, contract), ConfigError);
  }
}

BOOST_AUTO_TEST_CASE(every_sum_of_shared_expert) {
  const Settings config = {{"batch", "2"},          {"tp", "8"},
                           {"width", "512"},        {"grid", "10"},
                           {"intermediate", "512"}, {"consumer", "1"}};
  const Scenario scenario = {
      .kernel = "shared_expert", .config = config, .style = "discriminating"};
  const int parts = SumOf(scenario, "parts").tree.leaves;
  CheckPlanted(scenario, {{"parts",
                           {.lane = {{parts, 1}},
                            .descending = true,
                            .start = Form::Start::kFirst,
                            .from_zero = true}},
                          {"sources",
                           {.joins = {{Kind::kButterfly, {8, 1}, {4, 2, 1}}},
                            .start = Form::Start::kLast,
                            .from_zero = true}}});
}

/// Of the element and its stage alone.
bool IsWithin(const harness::Evidence& evidence, const std::string& tensor, int64_t index) {
  harness::StageRunner runner(evidence, 1);
  runner.RunAll({});
  size_t target = 0;
  while (runner.name(target) != tensor) ++target;
  return harness::WithinBounds(runner, {}, target, {index}, 1).has_value();
}

BOOST_AUTO_TEST_CASE(an_unknown_order_is_legal_by_bounds) {
  for (const char* const sum : {"key_dot", "qk_norm"}) {
    const Scenario scenario = {.config = {{"tokens", "4"}, {"heads", "2"}, {"requests", "4"}}};
    const Explanation explanation = Explain(Observe(scenario, {OrderOf(sum, RandomTree(128, 1))}));
    BOOST_TEST(Name(explanation.verdict) == "legal_reordering", Describe(explanation));
    for (const harness::Finding& finding : explanation.findings) {
      BOOST_REQUIRE(finding.bound.has_value());
      BOOST_TEST(finding.bound->sum == sum);
      BOOST_TEST(finding.bound->terms == 128);
      BOOST_TEST(finding.bound->checked == finding.differing);
      BOOST_TEST((finding.bound->worst > 0 && finding.bound->worst <= 1));
    }
  }
}

/// Somebody computed one tap anew, in another order; the kernel went on with its own.
BOOST_AUTO_TEST_CASE(a_tap_recorded_in_another_order) {
  const Scenario scenario = {.config = {{"tokens", "1"}, {"heads", "2"}, {"requests", "2"}}};
  const Form form = {.products = Products::kFused,
                     .lane = {{8, 16}},
                     .joins = {{Kind::kButterfly, {16, 1}, {8, 4, 2, 1}}}};
  const Deviation planted = OrderOf("key_dot", order::MakeTree(form, 128));
  harness::Evidence seen = Observe(scenario);
  harness::Evidence other = Observe(scenario, {planted});
  Seen(&seen, "taps/dot") = Seen(&other, "taps/dot");
  const Explanation explanation = Explain(seen);
  BOOST_TEST(Found(explanation, planted), Describe(explanation));
  BOOST_REQUIRE(explanation.findings.size() == 1u);
  BOOST_TEST(explanation.findings.front().recording, Describe(explanation));
}

/// Its tap is not captured. No choice is blamed for the rows of the state that it gives by chance.
BOOST_AUTO_TEST_CASE(a_tree_seen_in_the_state_alone_blames_no_choice) {
  const Scenario scenario = {.config = {{"tokens", "4"}, {"heads", "2"}, {"requests", "2"}},
                             .taps = false};
  const Form form = {.products = Products::kFused,
                     .lane = {{4, 32}},
                     .joins = {{Kind::kButterfly, {32, 1}, {16, 8, 4, 2, 1}}}};
  const Explanation explanation =
      Explain(Observe(scenario, {OrderOf("key_dot", order::MakeTree(form, 128))}));
  for (const harness::Finding& finding : explanation.findings) {
    BOOST_TEST(finding.changes.empty(), Describe(explanation));
  }
}

/// The second token's sums stand on the first's: fewer of them differ by chance where the first
/// token's are not believed. That does not make the recording wrong.
BOOST_AUTO_TEST_CASE(a_tap_alone_is_no_wrong_recording) {
  const Scenario scenario = {.config = {{"tokens", "2"}, {"heads", "1"}, {"requests", "2"}}};
  for (unsigned seed = 1; seed <= 6; ++seed) {
    harness::Evidence seen = Observe(scenario, {OrderOf("key_dot", RandomTree(128, seed))});
    std::erase_if(seen.observed, [](const harness::Observation& other) {
      return harness::FullName(other.values.spec) != "taps/dot";
    });
    const Explanation explanation = Explain(seen);
    BOOST_TEST(Name(explanation.verdict) == "legal_reordering", Describe(explanation));
  }
}

/// The last number inside, and the next one.
BOOST_AUTO_TEST_CASE(one_ulp_outside_the_bound_is_another_computation) {
  const Scenario scenario = {.config = {{"tokens", "1"}, {"heads", "1"}, {"requests", "2"}}};
  harness::Evidence seen = Observe(scenario, {OrderOf("key_dot", RandomTree(128, 1))});
  std::erase_if(seen.observed, [](const harness::Observation& other) {
    return harness::FullName(other.values.spec) !=
           "taps/dot";  // nothing follows from the moved one
  });
  const int64_t index = 3;
  int inside = 0, outside = 1 << 20;
  while (outside - inside > 1) {
    const int middle = (inside + outside) / 2;
    const bool is_inside = IsWithin(Moved(seen, "taps/dot", index, middle), "taps/dot", index);
    (is_inside ? inside : outside) = middle;
  }
  BOOST_TEST(inside > 0);
  const Explanation legal = Explain(Moved(seen, "taps/dot", index, inside));
  BOOST_TEST(Name(legal.verdict) == "legal_reordering", Describe(legal));
  const Explanation other = Explain(Moved(seen, "taps/dot", index, outside));
  BOOST_TEST(Name(other.verdict) == "different_computation", Describe(other));
}

BOOST_AUTO_TEST_SUITE_END()
