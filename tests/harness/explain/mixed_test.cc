// Several faults in one tensor, choices that hold in some places, recordings that are wrong.
#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "harness/explain/regions.h"
#include "tests/harness/explain/scenario.h"

using namespace samebits;
using namespace samebits::testing;
using harness::Deviation;
using harness::Evidence;
using harness::Explanation;
using harness::Finding;
using harness::Verdict;

namespace {

const Scenario kScenario = {.config = {{"tokens", "3"}, {"heads", "2"}, {"requests", "2"}}};
Deviation KeyDot() { return ChangeOf(kScenario, "key_dot_tree", "ws_ascending"); }
Deviation Silu() { return ChangeOf(kScenario, "silu_rounding", "none"); }
constexpr const char* kRecording = "the recording, not the computation, is at fault";

Explanation Explained(const Evidence& evidence) {
  return harness::Explain(evidence, {.threads = 2});
}

const Finding* FindingOf(const Explanation& explanation, const Deviation& change) {
  for (const Finding& finding : explanation.findings) {
    if (finding.changes == harness::Hypothesis{change}) return &finding;
  }
  return nullptr;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(explain_mixed)

BOOST_AUTO_TEST_CASE(a_choice_and_a_stray_bit_in_its_tap) {
  for (const int flips : {1, 5}) {
    Evidence evidence = Observe(kScenario, {KeyDot()});
    Flip(&Seen(&evidence, "taps/dot"), flips, 8);
    const Explanation explanation = Explained(evidence);
    const Finding* choice = FindingOf(explanation, KeyDot());
    BOOST_REQUIRE_MESSAGE(choice != nullptr, Describe(explanation));
    BOOST_TEST(choice->explained < choice->differing);
    BOOST_TEST(choice->differing - choice->explained <= flips);
    BOOST_REQUIRE_MESSAGE(explanation.findings.size() == 2u, Describe(explanation));
    BOOST_TEST(explanation.findings[1].differing == flips, Describe(explanation));
    BOOST_TEST(Says(explanation, "taps/dot", "nothing that is known explains the rest"),
               Describe(explanation));
    BOOST_TEST(Says(explanation, "taps/dot", "only bits 0..3"), Describe(explanation));
    BOOST_TEST((explanation.verdict == Verdict::kDifferent));
  }
}

/// Alone the division shows nowhere in the tensor: the rounding behind it hides it.
BOOST_AUTO_TEST_CASE(a_choice_that_another_one_brings_to_light) {
  const Deviation division = ChangeOf(kScenario, "silu_division", "rn");
  const Explanation explanation = Explained(Observe(kScenario, {Silu(), division}));
  BOOST_TEST(Names(explanation, Silu()), Describe(explanation));
  BOOST_TEST(Names(explanation, division), Describe(explanation));
  BOOST_TEST(explanation.findings.size() == 1u, Describe(explanation));
}

/// Three of its choices meet in one stage, more than are searched together.
BOOST_AUTO_TEST_CASE(a_named_contract_leaves_nothing) {
  const Contract named = FindKernel("kda_decode")->NamedContract("vllm.fused_cuda");
  const Contract standard = FindKernel("kda_decode")->NamedContract("");
  harness::Hypothesis changes;
  for (const auto& [choice, value] : named.choices) {
    if (value != standard.choices.at(choice)) changes.push_back(ChangeOf(kScenario, choice, value));
  }
  for (const bool taps : {true, false}) {
    Scenario scenario = kScenario;
    scenario.taps = taps;
    const Explanation explanation = Explained(Observe(scenario, changes));
    BOOST_TEST(explanation.named_contract == "vllm.fused_cuda");
    for (const Finding& finding : explanation.findings) {
      BOOST_TEST((!finding.changes.empty() && finding.explained == finding.differing),
                 Describe(explanation));
    }
  }
}

/// The stray value is that of the recording: no later tensor differs by it, and no choice is said
/// to act there.
BOOST_AUTO_TEST_CASE(a_stray_bit_in_a_tap_of_a_choice_blames_no_other_tensor) {
  Evidence evidence = Observe(kScenario, {Silu()});
  Flip(&Seen(&evidence, "taps/conv.q"), 1, 1 << 20);
  const Explanation explanation = Explained(evidence);
  const Finding* choice = FindingOf(explanation, Silu());
  BOOST_REQUIRE_MESSAGE(choice != nullptr, Describe(explanation));
  const std::vector<std::string> tensors = {"taps/conv.q", "taps/conv.k", "taps/conv.v"};
  BOOST_TEST(choice->tensors == tensors, boost::test_tools::per_element());
  BOOST_REQUIRE_MESSAGE(explanation.findings.size() == 2u, Describe(explanation));
  BOOST_TEST(Says(explanation, "taps/conv.q", kRecording), Describe(explanation));
}

BOOST_AUTO_TEST_CASE(two_choices_in_one_stage_and_a_stray_bit_elsewhere) {
  const Deviation rounding = ChangeOf(kScenario, "output_rounding", "rz");
  Evidence evidence = Observe(kScenario, {KeyDot(), rounding});
  Flip(&Seen(&evidence, "outputs/output"), 3, 4);
  const Explanation explanation = Explained(evidence);
  BOOST_TEST(Names(explanation, KeyDot()), Describe(explanation));
  BOOST_TEST(Names(explanation, rounding), Describe(explanation));
  BOOST_TEST(explanation.findings.size() == 3u, Describe(explanation));
}

BOOST_AUTO_TEST_CASE(a_choice_in_one_request_and_another_in_the_other) {
  for (const bool taps : {true, false}) {
    Scenario scenario = kScenario;
    scenario.taps = taps;
    Evidence evidence = Observe(scenario, {KeyDot()});
    TakePieces({2, 3}, Observe(scenario, {Silu()}), &evidence);
    const Explanation explanation = Explained(evidence);
    const Finding* silu = FindingOf(explanation, Silu());
    const Finding* key_dot = FindingOf(explanation, KeyDot());
    BOOST_REQUIRE_MESSAGE(silu != nullptr && key_dot != nullptr, Describe(explanation));
    BOOST_TEST((silu->in_part && key_dot->in_part), Describe(explanation));
    BOOST_TEST(explanation.findings.size() == 2u, Describe(explanation));
    if (!taps) continue;
    BOOST_TEST(Says(explanation, "taps/conv.q", "in request=1"), Describe(explanation));
    BOOST_TEST(Says(explanation, "taps/dot", "in request=0"), Describe(explanation));
  }
}

/// Both act on the same tensor.
BOOST_AUTO_TEST_CASE(two_trees_of_one_sum_in_different_heads) {
  const Deviation other = ChangeOf(kScenario, "key_dot_tree", "pairwise");
  Evidence evidence = Observe(kScenario, {KeyDot()});
  TakePieces({1, 3}, Observe(kScenario, {other}), &evidence);
  const Explanation explanation = Explained(evidence);
  BOOST_TEST(Names(explanation, KeyDot()), Describe(explanation));
  BOOST_TEST(Names(explanation, other), Describe(explanation));
  BOOST_TEST(Says(explanation, "taps/dot", "in head=0"), Describe(explanation));
  BOOST_TEST(Says(explanation, "taps/dot", "in head=1"), Describe(explanation));
}

BOOST_AUTO_TEST_CASE(a_choice_in_one_head) {
  Evidence evidence = Observe(kScenario);
  TakePieces({1, 3}, Observe(kScenario, {KeyDot()}), &evidence);
  const Explanation explanation = Explained(evidence);
  BOOST_REQUIRE_MESSAGE(explanation.findings.size() == 1u, Describe(explanation));
  BOOST_TEST(Says(explanation, "taps/dot", "key_dot_tree is ws_ascending"), Describe(explanation));
  BOOST_TEST(Says(explanation, "taps/dot", "in head=1"), Describe(explanation));
}

/// What follows the tap decides whether the tap or its recording is wrong.
BOOST_AUTO_TEST_CASE(a_wrong_recording_of_a_right_computation) {
  Evidence evidence = Observe(kScenario);
  Flip(&Seen(&evidence, "taps/norm.k"), 40, 1 << 18);
  const Explanation recorded = Explained(evidence);
  BOOST_REQUIRE_MESSAGE(recorded.findings.size() == 1u, Describe(recorded));
  BOOST_TEST(Says(recorded, "taps/norm.k", kRecording), Describe(recorded));

  const Explanation computed = Explained(Observe(kScenario, {KeyDot()}));
  BOOST_TEST(!Says(computed, "taps/dot", kRecording), Describe(computed));
}

/// An output that follows from the observed taps, and that nothing was computed from.
BOOST_AUTO_TEST_CASE(nothing_is_said_of_a_recording_that_nothing_follows) {
  Evidence evidence = Observe(kScenario);
  Flip(&Seen(&evidence, "outputs/output"), 2, 1);
  BOOST_TEST(!Says(Explained(evidence), "outputs/output", kRecording));
}

BOOST_AUTO_TEST_CASE(what_the_limit_of_work_left_out_is_said) {
  Evidence evidence = Observe(kScenario);
  Flip(&Seen(&evidence, "outputs/output"), 200, 3);
  const Explanation stopped = harness::Explain(evidence, {.threads = 2, .limit = 1});
  BOOST_TEST(!stopped.not_tried.empty());
  BOOST_TEST(stopped.findings.size() == 1u, Describe(stopped));
  const Explanation whole = harness::Explain(evidence, {.threads = 2, .limit = 0});
  BOOST_TEST(whole.not_tried.empty());
  BOOST_TEST(whole.runs > stopped.runs);
}

BOOST_AUTO_TEST_CASE(regions_cover_what_differs) {
  std::vector<int64_t> differing, none;
  for (int64_t i = 0; i < 64; ++i) differing.push_back(i);
  const std::vector<int64_t> low(differing.begin(), differing.begin() + 32);
  const std::vector<int64_t> high(differing.begin() + 32, differing.end());
  const auto both = harness::CoverRegions(16, differing, {high, low});
  BOOST_REQUIRE(both.has_value());
  BOOST_TEST(both->regions.size() == 2u);
  BOOST_TEST(both->rest.empty());
  BOOST_TEST(!harness::CoverRegions(16, differing, {high}).has_value());
  // Half of every cell is no place of its own.
  std::vector<int64_t> odd;
  for (int64_t i = 1; i < 64; i += 2) odd.push_back(i);
  BOOST_TEST(!harness::CoverRegions(16, differing, {odd}).has_value());
}

BOOST_AUTO_TEST_SUITE_END()
