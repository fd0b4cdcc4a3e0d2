// Trees found from outside: every order that a contract can choose is found as itself and told from
// the others.
#include "harness/reveal/reveal.h"

#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>
#include <span>

#include "harness/backends.h"
#include "harness/names.h"
#include "harness/reveal/canonical.h"
#include "harness/run_on_backend.h"
#include "model/arith/float32.h"
#include "model/order/builders.h"
#include "tests/harness/command.h"

using namespace samebits;
using namespace samebits::harness;
using nlohmann::json;

namespace {

constexpr int kLongSum = 1024;  // terms; revealed once, not for every choice

Launcher ModelLauncher(const Kernel& kernel, const Settings& config, const Contract& contract) {
  auto target = std::make_shared<Target>(OpenModel(kernel, contract, 2));
  return [&kernel, config, target](const TensorSet& inputs) {
    return RunOnBackend(kernel, *target, config, inputs, {.taps = true}).tensors;
  };
}

bool SameOrder(const ReductionOrder& a, const ReductionOrder& b) {
  if (order::ToText(a.tree) != order::ToText(b.tree)) return false;
  return order::Count(a.tree).matrix == 0 || *a.unit == *b.unit;
}

/// Can any input tell the two?
bool Distinct(const Reduction& reduction, const Settings& config, const ReductionOrder& a,
              const ReductionOrder& b) {
  const bool start = reduction.has_start(config);
  const bool rounded = !reduction.Shows(config, 0).front().exact;
  const bool blind = rounded || (reduction.terms() == TermKind::kSquares && reduction.offset());
  return order::FirstDifference(Canonical(a, start, blind), Canonical(b, start, blind)).has_value();
}

/// A tree as joins: an oracle that knows the answer.
TripleOracle OracleOf(const Joins& joins) {
  return [&joins](const std::vector<Triple>& triples) {
    std::vector<FirstPair> answers;
    for (const Triple& triple : triples) answers.push_back(joins.Answer(triple));
    return answers;
  };
}

}  // namespace

BOOST_AUTO_TEST_SUITE(reveal)

BOOST_AUTO_TEST_CASE(joins_of_wide_nodes_are_found) {
  // ((0 1 2) 3 4 (5 6)) 7
  Joins joins;
  for (int leaf = 0; leaf < 8; ++leaf) joins.nodes.push_back({leaf, {}});
  joins.nodes.push_back({-1, {0, 1, 2}});
  joins.nodes.push_back({-1, {5, 6}});
  joins.nodes.push_back({-1, {8, 3, 4, 9}});
  joins.nodes.push_back({-1, {10, 7}});
  const Joins found = FindJoins(8, OracleOf(joins));
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 8; ++j) {
      for (int k = 0; k < 8; ++k) {
        if (i == j || i == k || j == k) continue;
        BOOST_TEST((found.Answer({i, j, k}) == joins.Answer({i, j, k})));
      }
    }
  }
  BOOST_TEST(found.nodes.size() == joins.nodes.size());
}

/// How many orders of the kernel's choices, the first `values` of each, are told from the standard
/// one. Each is revealed on the model, and found to be the contract's.
int RevealOrders(const Kernel& kernel, const Settings& settings, size_t values) {
  const Settings config = kernel.Complete(settings);
  const Contract standard = kernel.NamedContract("");
  int told = 0;
  for (const Choice& choice : kernel.choices()) {
    for (const std::string& value :
         std::span(choice.values).first(std::min(values, choice.values.size()))) {
      Contract changed = standard;
      changed.choices[choice.name] = value;
      std::set<std::string> seen;  // q, k and v of one choice are the same kind of sum
      for (const Reduction* reduction : kernel.reductions()) {
        if (reduction->leaves(config) > kLongSum) continue;
        const ReductionOrder before = reduction->Order(config, standard);
        const ReductionOrder after = reduction->Order(config, changed);
        if (SameOrder(before, after)) continue;
        if (!seen.insert(std::string(reduction->doc()) + order::ToText(after.tree)).second)
          continue;
        BOOST_TEST_CONTEXT(choice.name << "=" << value << " " << reduction->name()) {
          const Revealed revealed =
              Reveal(kernel, *reduction, config, ModelLauncher(kernel, config, changed));
          const Judgement right = Judge(*reduction, config, changed, revealed);
          BOOST_TEST(right.equal(), order::ToText(revealed.tree) << "; " << right.other);
          const bool differs = !Judge(*reduction, config, standard, revealed).equal();
          if (Distinct(*reduction, config, before, after)) {
            BOOST_TEST(differs);
            ++told;
          }
        }
      }
    }
  }
  return told;
}

BOOST_AUTO_TEST_CASE(every_order_of_kda_decode_is_revealed_as_such) {
  const Kernel& kernel = KernelNamed("kda_decode");
  Settings config = kernel.probe_config();
  config["requests"] = "2";
  BOOST_TEST(RevealOrders(kernel, config, 100) >= 30);
}

BOOST_AUTO_TEST_CASE(an_alternative_of_every_order_of_kda_pre_is_revealed_as_such) {
  const Kernel& kernel = KernelNamed("kda_pre");
  BOOST_TEST(RevealOrders(kernel, kernel.probe_config(), 2) >= 10);
}

BOOST_AUTO_TEST_CASE(every_order_of_shared_expert_is_revealed_as_such) {
  const Kernel& kernel = KernelNamed("shared_expert");
  BOOST_TEST(RevealOrders(kernel, kernel.probe_config(), 100) >= 9);
}

BOOST_AUTO_TEST_CASE(a_sum_over_the_hidden_size_is_revealed) {
  const Kernel& kernel = KernelNamed("kda_pre");
  const Settings config = kernel.Complete(kernel.probe_config());
  const Contract contract = kernel.NamedContract("kda_pre.gfx942");
  for (const Reduction* reduction : kernel.reductions()) {
    if (reduction->leaves(config) <= kLongSum) continue;
    const Revealed revealed =
        Reveal(kernel, *reduction, config, ModelLauncher(kernel, config, contract));
    BOOST_TEST(Judge(*reduction, config, contract, revealed).equal());
    BOOST_REQUIRE(revealed.block.has_value());
    BOOST_TEST((revealed.block->late == true));  // CDNA3 aligns the accumulator after the products
  }
}

/// The right tree where the search looks first, and something else in other places, or in the bits
/// that sums of powers of two leave zero.
BOOST_AUTO_TEST_CASE(a_tree_that_does_not_hold_everywhere_is_not_equal) {
  const Kernel& kernel = KernelNamed("kda_decode");
  const Settings config = kernel.Complete({{"requests", "2"}, {"heads", "2"}});
  const Contract contract = kernel.NamedContract("");
  const auto at = std::ranges::find(kernel.reductions(), "dot", &Reduction::name);
  const auto judge = [&](const std::function<void(std::span<float>)>& spoil) {
    const Launcher right = ModelLauncher(kernel, config, contract);
    const Launcher wrong = [&](const TensorSet& inputs) {
      TensorSet results = right(inputs);
      spoil(results.Find(Role::kTap, "dot")->view<float>());
      return results;
    };
    return Judge(**at, config, contract, Reveal(kernel, **at, config, wrong));
  };
  BOOST_TEST(judge([](std::span<float>) {}).equal());
  const Judgement elsewhere =
      judge([](std::span<float> dot) { std::ranges::fill(dot.last(64), 777.0f); });
  BOOST_TEST(elsewhere.other.find("depends on the place") != std::string::npos, elsewhere.other);
  const Judgement coarse = judge([](std::span<float> dot) {
    for (float& x : dot) x = arith::FromBits(arith::ToBits(x) & ~1u);
  });
  BOOST_TEST(coarse.other.find("rounded in another way") != std::string::npos, coarse.other);
}

BOOST_AUTO_TEST_CASE(the_command_draws_and_judges) {
  const testing::TemporaryFolder folder;
  const testing::CommandResult equal = testing::RunSamebits(
      "reveal kda_decode --backend model --stage gate.acc --config gate_mode=1,requests=1 --json "
      "--dot trees",
      folder.path());
  BOOST_REQUIRE_MESSAGE(equal.status == 0, equal.err << equal.out);
  const json stage = json::parse(equal.out).at("reductions")[0];
  BOOST_TEST(stage.at("unit").at("products") == 16);
  BOOST_TEST(stage.at("unit").at("fraction_bits") == 25);
  BOOST_TEST(stage.at("unit").at("rounding") == "toward zero");
  BOOST_TEST(
      testing::ReadFile(folder.path() / "trees/gate.acc.revealed.dot").starts_with("digraph"));
  const testing::CommandResult other = testing::RunSamebits(
      "reveal kda_decode --backend model --stage dot --config requests=1,bias=1 --set "
      "key_dot_tree=ws_ascending --computes kda_ws.sm_90",
      folder.path());
  BOOST_TEST(other.status == 1);
  BOOST_TEST(other.out.find("first difference at root") != std::string::npos, other.out);
  BOOST_TEST(testing::RunSamebits("reveal kda_decode --stage dit", folder.path()).status == 2);
}

BOOST_AUTO_TEST_CASE(the_bias_is_the_start) {
  const testing::TemporaryFolder folder;
  const testing::CommandResult result = testing::RunSamebits(
      "reveal kda_decode --backend simt --stage conv.acc.v --config requests=1,heads=1,bias=1",
      folder.path());
  BOOST_TEST(result.status == 0, result.err);
  BOOST_TEST(result.out.find("F[0,1,2,3;4]") != std::string::npos, result.out);
}

BOOST_AUTO_TEST_CASE(a_program_takes_part_through_files) {
  if (std::system("/usr/bin/python3 -c 'import numpy' 2>/dev/null") != 0) {
    BOOST_TEST_MESSAGE("no numpy here");
    return;
  }
  const testing::TemporaryFolder folder;
  const std::string program = std::filesystem::absolute("tests/harness/reveal_program.py").string();
  const std::string command =
      "reveal kda_decode --stage dot --config tokens=1,requests=2,heads=2 "
      "--backend exec:" +
      program;
  const testing::CommandResult equal = testing::RunSamebits(
      command + " --set key_dot_tree=pairwise,key_dot_multiply_add=separate", folder.path());
  BOOST_TEST(equal.status == 0, equal.err << equal.out);
  BOOST_TEST(testing::RunSamebits(command, folder.path()).status == 1);
  const testing::CommandResult other = testing::RunSamebits(
      "reveal kda_decode --stage out.acc --backend exec:" + program, folder.path());
  BOOST_TEST(other.status == 2);
  BOOST_TEST(other.err.find("taps/out.acc") != std::string::npos, other.err);
}

BOOST_AUTO_TEST_SUITE_END()
