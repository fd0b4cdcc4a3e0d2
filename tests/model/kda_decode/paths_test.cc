// The fast path, the plain path and every number of threads give the same bits.
#include <boost/test/unit_test.hpp>
#include <random>

#include "model/order/evaluate.h"
#include "tests/model/kda_decode/case.h"

namespace samebits::kda_decode::testing {
namespace {

/// A legal configuration with at most 3 requests and 2 heads.
Settings AnySettings(std::mt19937_64& random) {
  const auto pick = [&](std::vector<std::string> words) { return words[random() % words.size()]; };
  const int tokens = 1 + static_cast<int>(random() % 8);
  Settings s = {{"tokens", std::to_string(tokens)},
                {"requests", std::to_string(1 + random() % 3)},
                {"heads", std::to_string(1 + random() % 2)},
                {"gate_mode", pick({"0", "1"})},
                {"bias", pick({"0", "1"})},
                {"conv_layout", pick({"sd", "ds"})},
                {"conv_type", pick({"bf16", "f32"})},
                {"window", pick({"+0", "+1", "+5"})},
                {"padding", pick({"none", "none", "first", "last", "alternate"})},
                {"rows", pick({"dense", "padded", "packed"})},
                {"pages", pick({"dense", "gapped"})}};
  if (tokens == 1) return s;
  s["accepted"] = pick({"one", "full", "mixed"});
  if (random() % 2) {
    s["record"] = "1";
  } else if (tokens > 2) {
    s["targets"] = pick({"distinct", "source", "repeated", "null"});
  }
  return s;
}

Choices AnyChoices(std::mt19937_64& random) {
  const auto names = ContractTable().contract_names();
  Contract contract = ContractTable().Named(names[random() % names.size()]);
  for (const Choice& choice : ContractTable().choices()) {
    if (random() % 4 == 0) {
      contract.choices[choice.name] = choice.values[random() % choice.values.size()];
    }
  }
  return ReadChoices(contract);
}

std::string Text(const Settings& settings) {
  std::string text;
  for (const auto& [name, value] : settings) text += name + "=" + value + " ";
  return text;
}

BOOST_AUTO_TEST_SUITE(paths)

BOOST_AUTO_TEST_CASE(fast_equals_plain_for_any_configuration_inputs_and_contract) {
  std::mt19937_64 random(7);
  for (int run = 0; run < 48; ++run) {
    const Settings settings = AnySettings(random);
    const Choices choices = run % 2 ? AnyChoices(random) : Choices{};
    const char* styles[] = {"realistic", "wide", "tiny", "specials"};
    const Case c = MakeCase(settings, HashSource(run, styles[random() % 4]));
    const Results plain = Run(c, choices, Path::kPlain, 1);
    const Results fast = Run(c, choices, Path::kFast, 1);
    const std::string what = Text(settings) + Text(ContractTable().Write(choices));
    BOOST_TEST(FirstDifference(plain.tensors, fast.tensors) == "", what);
    BOOST_TEST(plain.strays_kept, what);
    BOOST_TEST(fast.strays_kept, what);
    const Results threads = Run(c, choices, Path::kFast, 3);
    BOOST_TEST(FirstDifference(fast.tensors, threads.tensors) == "", what);
  }
}

BOOST_AUTO_TEST_CASE(taps_change_no_output) {
  for (const char* record : {"0", "1"}) {
    const Case c = MakeCase({{"tokens", "3"},
                             {"requests", "2"},
                             {"heads", "2"},
                             {"record", record},
                             {"rows", "packed"}},
                            HashSource(3));
    const Results with = Run(c);
    const Results without = Run(c, {}, Path::kFast, 1, false);
    for (const Tensor& tensor : without.tensors.tensors) {
      BOOST_TEST((tensor.data == with.tensors.At(Role::kOutput, tensor.spec.name).data),
                 tensor.spec.name);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace samebits::kda_decode::testing
