// Cases in memory whose results were computed in another way than they should have been.
#ifndef SAMEBITS_TESTS_HARNESS_EXPLAIN_SCENARIO_H_
#define SAMEBITS_TESTS_HARNESS_EXPLAIN_SCENARIO_H_

#include <string>
#include <string_view>
#include <vector>

#include "harness/explain/explain.h"

namespace samebits::testing {

struct Scenario {
  std::string kernel = "kda_decode";
  Settings config;  // need not be complete
  std::string style = "realistic";
  uint64_t seed = 0;
  bool taps = true;
};

/// The evidence of the scenario under the default contract, observed under the same one.
harness::Evidence Observe(const Scenario& scenario);
/// The same, observed with these choices.
harness::Evidence Observe(const Scenario& scenario, const harness::Hypothesis& changes);
/// Observed by somebody who read an input in another way.
harness::Evidence Observe(const Scenario& scenario, std::string_view input,
                          const harness::Transform& transform);
/// The observed tensor "taps/dot".
harness::Observation& Seen(harness::Evidence* evidence, std::string_view name);

/// What the pieces of the launch computed (Kernel::PiecesOf) is taken from another evidence.
void TakePieces(const std::vector<int64_t>& pieces, const harness::Evidence& from,
                harness::Evidence* to);
/// Flips these bits of elements that were written and are no zeros, one after the other.
void Flip(harness::Observation* seen, int count, uint32_t bits);
/// Some finding about the tensor says so, or an alternative does.
bool Says(const harness::Explanation& explanation, const std::string& tensor,
          const std::string& text);

/// A change of the default contract of the scenario's kernel.
harness::Deviation ChangeOf(const Scenario& scenario, const std::string& name,
                            const std::string& value);
/// The change is among the findings, or among the alternatives of one.
bool Names(const harness::Explanation& explanation, const harness::Deviation& change);
/// Sentences and alternatives, for messages.
std::string Describe(const harness::Explanation& explanation);

}  // namespace samebits::testing

#endif  // SAMEBITS_TESTS_HARNESS_EXPLAIN_SCENARIO_H_
