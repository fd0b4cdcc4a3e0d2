// Two faults at once, in different stages: both are named. `explain_pairs_test -- N` draws N pairs.
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "golden/counter_hash.h"
#include "tests/harness/explain/scenario.h"

using namespace samebits;
using namespace samebits::testing;
using harness::Deviation;

namespace {

constexpr int kPairs = 24;  // of a run without an argument

const Scenario kScenario = {.config = {{"tokens", "2"}, {"heads", "1"}, {"requests", "2"}}};

/// Changes that show in this dataset, with the tensor in which each shows first.
std::vector<std::pair<Deviation, std::string>> VisibleChanges() {
  const Kernel& kernel = *FindKernel(kScenario.kernel);
  const harness::Evidence truth = Observe(kScenario);
  std::vector<std::pair<Deviation, std::string>> visible;
  for (const Deviation& change : harness::ChoiceDeviations(kernel, truth.contract)) {
    const harness::Evidence seen = Observe(kScenario, {change});
    for (size_t t = 0; t < truth.observed.size(); ++t) {
      if (seen.observed[t].values.data == truth.observed[t].values.data) continue;
      visible.emplace_back(change, truth.observed[t].values.spec.name);
      break;
    }
  }
  return visible;
}

bool Same(const harness::Evidence& a, const harness::Evidence& b) {
  for (size_t t = 0; t < a.observed.size(); ++t) {
    if (a.observed[t].values.data != b.observed[t].values.data) return false;
  }
  return true;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(explain_pairs)

BOOST_AUTO_TEST_CASE(both_of_two_faults_are_named) {
  const auto& suite = boost::unit_test::framework::master_test_suite();
  const int pairs = suite.argc > 1 ? std::atoi(suite.argv[1]) : kPairs;
  const auto visible = VisibleChanges();
  int drawn = 0, named = 0;
  for (uint64_t draw = 0; drawn < pairs; ++draw) {
    const uint64_t bits = golden::Mix(draw + 1);
    const auto& [a, first] = visible[bits % visible.size()];
    const auto& [b, second] = visible[(bits >> 32) % visible.size()];
    if (first == second || a.name == b.name) continue;  // one stage
    const harness::Evidence seen = Observe(kScenario, {a, b});
    if (Same(seen, Observe(kScenario, {a})) || Same(seen, Observe(kScenario, {b}))) {
      continue;  // one of them hides the other
    }
    ++drawn;
    const auto explanation = harness::Explain(seen, {.threads = 2});
    const bool both = Names(explanation, a) && Names(explanation, b);
    named += both;
    if (!both) {
      BOOST_TEST_MESSAGE(a.name << "=" << a.to << " and " << b.name << "=" << b.to << ": "
                                << Describe(explanation));
    }
  }
  BOOST_TEST_MESSAGE(named << " of " << drawn << " pairs are named");
  BOOST_TEST(100 * named >= 95 * drawn);
}

BOOST_AUTO_TEST_SUITE_END()
