// Every choice of every contract that changes a bit is named from the bits.
#include <boost/test/unit_test.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "tests/harness/explain/scenario.h"

using namespace samebits;
using namespace samebits::testing;
using harness::Deviation;
using harness::Explanation;

namespace {

/// Whether the change changes a bit. If so, it must be the one finding, or one that cannot be told
/// from it.
bool CheckChoice(const Scenario& scenario, const Deviation& change) {
  const harness::Evidence evidence = Observe(scenario, {change});
  const Explanation explanation = harness::Explain(evidence, {.threads = 2});
  if (explanation.verdict == harness::Verdict::kIdentical) return false;
  const std::string what = scenario.kernel + " " + change.name + "=" + change.to + ": ";
  BOOST_TEST(Names(explanation, change), what << Describe(explanation));
  BOOST_TEST(explanation.findings.size() == 1u, what << Describe(explanation));
  return true;
}

/// Choices that change a bit.
int CheckEveryChoice(const Scenario& scenario) {
  const Kernel& kernel = *FindKernel(scenario.kernel);
  int seen = 0;
  for (const Deviation& change : harness::ChoiceDeviations(kernel, kernel.NamedContract(""))) {
    seen += CheckChoice(scenario, change);
  }
  return seen;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(explain_choices)

BOOST_AUTO_TEST_CASE(kda_decode_with_taps) {
  BOOST_TEST(CheckEveryChoice({.config = {{"tokens", "2"}, {"heads", "1"}, {"requests", "2"}}}) >=
             40);
}

BOOST_AUTO_TEST_CASE(kda_decode_with_records) {
  CheckEveryChoice({.config = {{"tokens", "2"},
                               {"heads", "1"},
                               {"requests", "2"},
                               {"record", "1"},
                               {"accepted", "full"}}});
}

BOOST_AUTO_TEST_CASE(kda_decode_of_outputs_alone) {
  CheckEveryChoice({.config = {{"tokens", "2"}, {"heads", "1"}, {"requests", "2"}}, .taps = false});
}

BOOST_AUTO_TEST_CASE(kda_decode_of_rare_values) {
  CheckEveryChoice(
      {.config = {{"tokens", "2"}, {"heads", "1"}, {"requests", "2"}}, .style = "specials"});
}

/// All of them take long (a launch has 45 million products per token): one per kind of stage here,
/// every one with the argument "all".
BOOST_AUTO_TEST_CASE(kda_pre) {
  const Scenario scenario = {.kernel = "kda_pre", .config = {{"tokens", "2"}}};
  const auto& suite = boost::unit_test::framework::master_test_suite();
  if (suite.argc > 1 && std::string_view(suite.argv[1]) == "all") {
    CheckEveryChoice(scenario);
    return;
  }
  for (const auto& [choice, value] : {std::pair("source_tree", "sequential"),
                                      {"weight_tree", "pairwise"},
                                      {"mix_multiply_add", "fused"},
                                      {"projection_chains", "one"},
                                      {"conv_rounding", "none"},
                                      {"key_dot_tree", "pairwise"},
                                      {"update_multiply_add", "fused"}}) {
    BOOST_TEST(CheckChoice(scenario, ChangeOf(scenario, choice, value)),
               choice << " changes no bit");
  }
}

BOOST_AUTO_TEST_CASE(shared_expert) {
  for (const char* const variant : {"fused", "front"}) {
    const Settings config = {{"variant", variant}, {"batch", "2"},     {"tp", "8"},
                             {"width", "512"},     {"grid", "10"},     {"intermediate", "512"},
                             {"latent", "256"},    {"experts", "128"}, {"consumer", "1"}};
    CheckEveryChoice({.kernel = "shared_expert", .config = config});
  }
}

BOOST_AUTO_TEST_SUITE_END()
