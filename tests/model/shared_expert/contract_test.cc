// Every alternative of the contract changes a result, and none before the tap that the table names.
#include "model/shared_expert/contract.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/model/shared_expert/case.h"

namespace samebits::shared_expert::testing {
namespace {

Choices With(const std::string& choice, const std::string& value) {
  Contract contract = ContractTable().Named("");
  contract.choices[choice] = value;
  return ReadChoices(contract);
}

/// The published rules of these units are the same.
const std::set<std::pair<std::string, std::string>> kInvisible = {
    {"matrix_unit", "sm_100.tcgen05"}, {"matrix_unit", "sm_90.mma_sync"}};

struct Prepared {
  Case c;
  TensorSet expected;
};

/// Ranks 1 and 2 push opposite values, rank 3 values 2^-20 times as large, the others zeros.
void CancelRanks(Case* c) {
  const size_t rank_rows = Bf16(&c->inputs, "gate_up").size() / c->config.tp;
  const auto gate_up = Bf16(&c->inputs, "gate_up");
  std::copy_n(gate_up.begin() + rank_rows, rank_rows, gate_up.begin() + 2 * rank_rows);
  const auto down = Bf16(&c->inputs, "down");
  const size_t rank_down = down.size() / c->config.tp;
  for (size_t i = 0; i < rank_down; ++i) {
    uint16_t& small = down[3 * rank_down + i];
    down[2 * rank_down + i] = down[rank_down + i] ^ 0x8000;
    small = (small >> 7 & 0xFF) > 20 ? small - (20 << 7) : 0;
    for (const int rank : {0, 4, 5, 6, 7}) down[rank * rank_down + i] = 0;
  }
}

/// Where subnormals, underflow, cancellation and the order of ranks show.
const std::vector<Prepared>& Probes() {
  static const std::vector<Prepared> probes = [] {
    std::vector<Prepared> made;
    const auto add = [&](const Settings& settings, const char* style) {
      Case c = MakeCase(settings, style, 5);
      TensorSet expected = Run(c);
      made.push_back({std::move(c), std::move(expected)});
    };
    for (const char* style : {"realistic", "cancelling"}) {
      add(Small(8, {{"batch", "16"}, {"consumer", "1"}}), style);
    }
    add(Small(8, {{"batch", "4"}, {"variant", "front"}, {"rank", "1"}}), "tiny");
    Case ranks = MakeCase(Small(8, {{"batch", "2"}, {"consumer", "1"}}));
    CancelRanks(&ranks);
    made.push_back({ranks, Run(ranks)});
    // Sums that are subnormal; pushed values that bf16 does not hold.
    for (const char* weights : {"gate_up", "down"}) {
      Case c = MakeCase(Small(8, {{"batch", "2"}, {"rank", "0"}}));
      for (uint16_t& w : Bf16(&c.inputs, weights)) w = (w & 0x8000) | 1;
      if (std::string(weights) == "down") {
        for (uint16_t& w : Bf16(&c.inputs, "gate_up")) w -= 4 << 7;
      }
      TensorSet expected = Run(c);
      made.push_back({std::move(c), std::move(expected)});
    }
    return made;
  }();
  return probes;
}

/// Per probe: the first tensor that the alternative changes, without those it leaves alone.
std::set<std::string> ChangedFirst(const std::string& choice, const std::string& value) {
  std::set<std::string> changed;
  for (const auto& [c, expected] : Probes()) {
    const std::string tensor = FirstDifferentTensor(expected, Run(c, With(choice, value)));
    if (!tensor.empty()) changed.insert(tensor);
  }
  return changed;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(contract)

BOOST_AUTO_TEST_CASE(each_alternative_changes_first_what_the_table_says) {
  std::vector<std::string> order;
  for (const Tensor& tensor : Probes()[0].expected.tensors) order.push_back(tensor.spec.name);
  const auto position = [&](const std::string& name) {
    return std::ranges::find(order, name) - order.begin();
  };
  const Settings defaults = ContractTable().Write({});
  for (const Choice& choice : ContractTable().choices()) {
    std::set<std::string> firsts;
    for (const std::string& value : choice.values) {
      if (value == defaults.at(choice.name)) continue;
      const std::set<std::string> changed = ChangedFirst(choice.name, value);
      for (const std::string& tensor : changed) {
        BOOST_TEST(
            position(tensor) >= position(choice.first_tap),
            choice.name << "=" << value << " changed " << tensor << " before " << choice.first_tap);
      }
      BOOST_TEST(changed.empty() == kInvisible.contains({choice.name, value}),
                 choice.name << "=" << value << " changed " << changed.size() << " probes");
      firsts.insert(changed.begin(), changed.end());
    }
    BOOST_TEST(firsts.contains(choice.first_tap),
               choice.name << " never changed " << choice.first_tap);
  }
}

BOOST_AUTO_TEST_CASE(named_contracts) {
  BOOST_TEST(ContractTable().Named("").name == "shared_expert.sm_90");
  BOOST_TEST((ReadChoices(ContractTable().Named("")) == Choices{}));
  const Contract sm_100 = ContractTable().Named("shared_expert.sm_100");
  BOOST_TEST(sm_100.profile == "sm_100");
  BOOST_TEST(sm_100.choices.at("matrix_unit") == "sm_100.tcgen05");
  for (const std::string& name : ContractTable().contract_names()) {
    const Contract contract = ContractTable().Named(name);
    BOOST_TEST((ContractTable().Write(ReadChoices(contract)) == contract.choices), name);
    BOOST_TEST(contract.choices.size() == ContractTable().choices().size());
  }
}

BOOST_AUTO_TEST_CASE(illegal_contracts_are_refused) {
  const auto refused = [](const auto& change) {
    Contract contract = ContractTable().Named("");
    change(&contract);
    BOOST_CHECK_THROW(ReadChoices(contract), ConfigError);
  };
  refused([](Contract* c) { c->kernel = "kda_decode"; });
  refused([](Contract* c) { c->choices["split"] = "even"; });
  refused([](Contract* c) { c->choices.erase("situ"); });
  refused([](Contract* c) { c->choices["exp"] = "ex2"; });
  BOOST_CHECK_THROW(ContractTable().Named("shared_expert.sm_80"), ConfigError);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace samebits::shared_expert::testing
