// The trace of an element has the bits of the model: for every tap and output, under every value of
// every choice.
#include "model/kda_decode/trace.h"

#include <boost/test/unit_test.hpp>
#include <random>
#include <set>

#include "model/kernel.h"
#include "tests/model/kda_decode/case.h"
#include "tests/model/trace_source.h"

namespace samebits::kda_decode::testing {
namespace {

using samebits::testing::BitsAt;
using samebits::testing::SetSource;

const std::vector<Settings>& Configs() {
  static const std::vector<Settings> configs = {
      {{"tokens", "1"}, {"requests", "2"}, {"heads", "2"}},
      {{"tokens", "3"},
       {"requests", "3"},
       {"heads", "2"},
       {"bias", "1"},
       {"gate_mode", "1"},
       {"conv_layout", "ds"},
       {"conv_type", "f32"},
       {"window", "+2"},
       {"padding", "last"},
       {"accepted", "mixed"},
       {"targets", "repeated"},
       {"rows", "packed"},
       {"pages", "gapped"}},
      {{"tokens", "2"},
       {"requests", "3"},
       {"heads", "1"},
       {"record", "1"},
       {"padding", "first"},
       {"accepted", "full"},
       {"rows", "padded"}},
      {{"tokens", "4"},
       {"requests", "2"},
       {"heads", "1"},
       {"accepted", "full"},
       {"targets", "null"}},
  };
  return configs;
}

void CheckTraces(const Case& c, const Choices& choices, int count, uint64_t seed,
                 const std::string& what) {
  samebits::testing::CheckTraces(c.inputs, Run(c, choices).tensors, count, seed, what,
                                 [&](const ElementRef& element, const ElementSource& source) {
                                   return TraceOf(c.config, choices, element, source);
                                 });
}

BOOST_AUTO_TEST_SUITE(trace)

BOOST_AUTO_TEST_CASE(every_tensor_under_every_value_of_every_choice) {
  const char* styles[] = {"realistic", "specials", "wide", "tiny"};
  uint64_t seed = 0;
  for (const Settings& settings : Configs()) {
    std::vector<Case> cases;
    for (const char* style : styles) cases.push_back(MakeCase(settings, HashSource(++seed, style)));
    const Contract standard = ContractTable().Named("");
    for (const Choice& choice : ContractTable().choices()) {
      for (const std::string& value : choice.values) {
        Contract contract = standard;
        contract.choices[choice.name] = value;
        ++seed;
        CheckTraces(cases[seed % cases.size()], ReadChoices(contract), 3, seed,
                    choice.name + "=" + value);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(named_contracts_and_pairs_of_choices) {
  std::mt19937_64 random(11);
  for (int run = 0; run < 40; ++run) {
    const auto names = ContractTable().contract_names();
    Contract contract = ContractTable().Named(names[random() % names.size()]);
    for (int pair = 0; pair < run % 5; ++pair) {
      const Choice& choice = ContractTable().choices()[random() % ContractTable().choices().size()];
      contract.choices[choice.name] = choice.values[random() % choice.values.size()];
    }
    const Case c = MakeCase(Configs()[run % Configs().size()],
                            HashSource(run, run % 2 ? "specials" : "realistic"));
    CheckTraces(c, ReadChoices(contract), 5, run, contract.name);
  }
}

/// Every element of the tensors whose places depend on slots.
BOOST_AUTO_TEST_CASE(stores_go_where_the_slots_say) {
  for (const Settings& settings : Configs()) {
    const Case c = MakeCase(settings, HashSource(5));
    const Results results = Run(c);
    const SetSource source({&c.inputs, &results.tensors});
    for (const Tensor& tensor : results.tensors.tensors) {
      if (tensor.spec.role != Role::kOutput) continue;
      const int64_t step = tensor.spec.name == "state" ? 61 : 7;
      for (int64_t i = 0; i < tensor.spec.elements(); i += step) {
        const Trace trace = TraceOf(c.config, {}, {Role::kOutput, tensor.spec.name, i}, source);
        if (trace.nodes[trace.root].bits == BitsAt(tensor, i)) continue;
        BOOST_ERROR(tensor.spec.name << "[" << i << "]");
        return;
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_trace_names_its_operations) {
  const Case c = MakeCase(Configs()[0], HashSource(1));
  const Results results = Run(c);
  const SetSource source({&c.inputs, &results.tensors});
  const auto ops = [&](const std::string& tap) {
    std::multiset<std::string> names;
    const Trace trace = TraceOf(c.config, {}, {Role::kTap, tap, 0}, source);
    for (const TraceNode& node : trace.nodes) {
      names.insert(node.op);
      for (const int operand : node.operands) BOOST_TEST(operand < &node - trace.nodes.data());
    }
    return names;
  };
  BOOST_TEST(ops("conv.acc.q").count("fma") == 4u);
  BOOST_TEST(ops("dot").count("fma") == 128u);
  BOOST_TEST(ops("dot").count("mul") == 128u);  // decayed states
  BOOST_TEST(ops("gate.acc").count("matrix block") == 8u);
  BOOST_TEST(ops("conv.q").count("ex2.approx.f32") == 1u);
  BOOST_TEST(ops("conv.q").count("div.full.f32") == 1u);
}

BOOST_AUTO_TEST_CASE(unknown_elements_are_refused) {
  const Case c = MakeCase(Configs()[0], HashSource(1));
  const SetSource source({&c.inputs});
  BOOST_CHECK_THROW(TraceOf(c.config, {}, {Role::kTap, "dots", 0}, source), ConfigError);
  BOOST_CHECK_THROW(TraceOf(c.config, {}, {Role::kTap, "dot", 1 << 20}, source), ConfigError);
  BOOST_CHECK_THROW(TraceOf(c.config, {}, {Role::kOutput, "dot", 0}, source), ConfigError);
  BOOST_CHECK_THROW(TraceOf(c.config, {}, {Role::kInput, "x", 0}, source), ConfigError);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace samebits::kda_decode::testing
