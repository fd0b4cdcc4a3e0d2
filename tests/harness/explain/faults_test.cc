// Faults that no choice of a contract has: operands, scalars, results, single places.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstring>
#include <string>
#include <tuple>
#include <vector>

#include "harness/compare/element.h"
#include "model/arith/float32.h"
#include "tests/harness/explain/scenario.h"

using namespace samebits;
using namespace samebits::testing;
using harness::Deviation;
using harness::Evidence;
using harness::Explanation;
using harness::Verdict;
using Kind = harness::Transform::Kind;

namespace {

const Scenario kScenario = {.config = {{"tokens", "3"}, {"heads", "2"}, {"requests", "2"}}};

Explanation Explained(const Evidence& evidence) {
  return harness::Explain(evidence, {.threads = 2});
}

/// bits(index, bits) of the elements of taps [request][token][head][...] for which where(r, t, h).
template <typename Where, typename Bits>
void Edit(harness::Observation* seen, const Where& where, const Bits& bits) {
  Tensor& tensor = seen->values;
  for (int64_t i = 0; i < tensor.spec.elements(); ++i) {
    const auto at = harness::Coordinates(tensor.spec, i);
    if (!where(at[0], at[1], at[2])) continue;
    const uint32_t changed = bits(i, harness::ElementBits(tensor, i));
    std::memcpy(tensor.data.data() + i * SizeOf(tensor.spec.dtype), &changed,
                SizeOf(tensor.spec.dtype));
  }
}

constexpr auto kEverywhere = [](int64_t, int64_t, int64_t) { return true; };
constexpr auto kHead1 = [](int64_t, int64_t, int64_t head) { return head == 1; };

}  // namespace

BOOST_AUTO_TEST_SUITE(explain_faults)

BOOST_AUTO_TEST_CASE(another_order_is_a_legal_reordering_and_rounding_is_not) {
  const Explanation order =
      Explained(Observe(kScenario, {ChangeOf(kScenario, "out_dot_tree", "sequential")}));
  BOOST_TEST((order.verdict == Verdict::kLegalReordering), Describe(order));
  const Explanation both =
      Explained(Observe(kScenario, {ChangeOf(kScenario, "out_dot_tree", "sequential"),
                                    ChangeOf(kScenario, "out_rounding", "bf16_rz")}));
  BOOST_TEST((both.verdict == Verdict::kDifferent), Describe(both));
  BOOST_TEST(both.findings.size() == 2u, Describe(both));
}

BOOST_AUTO_TEST_CASE(the_bits_of_another_implementation_have_its_name) {
  const Kernel& kernel = *FindKernel("kda_decode");
  for (const char* const name : {"stock.triton", "vllm.fused_cuda"}) {
    harness::Hypothesis changes;
    for (const auto& [choice, value] : kernel.NamedContract(name).choices) {
      const Deviation change = ChangeOf(kScenario, choice, value);
      if (change.from != value) changes.push_back(change);
    }
    const Explanation explanation = Explained(Observe(kScenario, changes));
    BOOST_TEST(explanation.named_contract == name, Describe(explanation));
  }
}

BOOST_AUTO_TEST_CASE(a_state_that_was_read_transposed) {
  // state[slot][head][value][key]
  const Explanation explanation =
      Explained(Observe(kScenario, "state", {.kind = Kind::kTransposed, .dim = 2}));
  BOOST_TEST(Says(explanation, "taps/dot", "inputs/state transposed (value, key)"),
             Describe(explanation));
  BOOST_TEST(explanation.findings.size() == 1u, Describe(explanation));
}

BOOST_AUTO_TEST_CASE(a_slot_too_far) {
  const Explanation explanation =
      Explained(Observe(kScenario, "state", {.kind = Kind::kRotated, .dim = 0, .amount = 1}));
  BOOST_TEST(Says(explanation, "taps/dot", "inputs/state"), Describe(explanation));
  BOOST_TEST(Says(explanation, "taps/dot", "by 1 along slot"), Describe(explanation));
}

BOOST_AUTO_TEST_CASE(a_factor_that_was_left_out) {
  const Deviation one = {Deviation::Kind::kAxis, "scale", "0.088388346", "1", {}};
  const Explanation explanation = Explained(Observe(kScenario, {one}));
  BOOST_TEST(Says(explanation, "taps/norm.q", "scale=1 instead of"), Describe(explanation));
  BOOST_TEST(explanation.findings.size() == 1u, Describe(explanation));
}

BOOST_AUTO_TEST_CASE(a_mode_of_the_kernel) {
  const Deviation mode = {Deviation::Kind::kAxis, "gate_mode", "0", "1", {}};
  const Explanation explanation = Explained(Observe(kScenario, {mode}));
  BOOST_TEST(!explanation.findings.empty());
  BOOST_TEST((Says(explanation, "taps/gate.acc", "gate_mode=1") ||
              Names(explanation, ChangeOf(kScenario, "raw_gate_chain", "chain4x2"))),
             Describe(explanation));
}

BOOST_AUTO_TEST_CASE(q_in_place_of_k) {
  Evidence evidence = Observe(kScenario);
  Seen(&evidence, "taps/norm.k").values.data = Seen(&evidence, "taps/norm.q").values.data;
  const Explanation explanation = Explained(evidence);
  BOOST_TEST(Says(explanation, "taps/norm.k", "replaced by taps/norm.q"), Describe(explanation));
}

BOOST_AUTO_TEST_CASE(a_head_that_nobody_wrote) {
  Evidence evidence = Observe(kScenario);
  Edit(&Seen(&evidence, "taps/out.raw"), kHead1,
       [](int64_t, uint32_t) { return PoisonBits(DType::kF32); });
  const Explanation explanation = Explained(evidence);
  BOOST_TEST(Says(explanation, "taps/out.raw", "never written"), Describe(explanation));
  BOOST_TEST(Says(explanation, "taps/out.raw", "head=1"), Describe(explanation));
  BOOST_TEST(explanation.findings.size() == 1u, Describe(explanation));
}

BOOST_AUTO_TEST_CASE(a_result_times_a_factor) {
  Evidence evidence = Observe(kScenario);
  Edit(&Seen(&evidence, "taps/out.gate"), kEverywhere,
       [](int64_t, uint32_t bits) { return arith::ToBits(arith::FromBits(bits) * 0.375f); });
  const Explanation explanation = Explained(evidence);
  BOOST_TEST(Says(explanation, "taps/out.gate", "times 0.375"), Describe(explanation));
}

BOOST_AUTO_TEST_CASE(an_output_of_the_next_token) {
  Evidence evidence = Observe(kScenario);
  Tensor& seen = Seen(&evidence, "taps/out.scaled").values;
  seen = harness::Apply({.kind = Kind::kRotated, .dim = 1, .amount = 1}, seen);
  const Explanation explanation = Explained(evidence);
  BOOST_TEST(Says(explanation, "taps/out.scaled", "rotated by 1 along token"),
             Describe(explanation));
}

BOOST_AUTO_TEST_CASE(another_tree_in_one_head) {
  Evidence evidence = Observe(kScenario);
  Evidence other = Observe(kScenario, {ChangeOf(kScenario, "out_dot_tree", "pairwise")});
  const Tensor& there = Seen(&other, "taps/out.acc").values;
  Edit(&Seen(&evidence, "taps/out.acc"), kHead1,
       [&](int64_t i, uint32_t) { return harness::ElementBits(there, i); });
  const Explanation explanation = Explained(evidence);
  BOOST_TEST(Says(explanation, "taps/out.acc", "out_dot_tree is pairwise"), Describe(explanation));
  BOOST_TEST(Says(explanation, "taps/out.acc", "head=1"), Describe(explanation));
  BOOST_TEST((explanation.verdict == Verdict::kDifferent));
}

/// The state that a kernel leaves is given to no stage where nobody captured it.
BOOST_AUTO_TEST_CASE(the_output_alone) {
  for (const auto& [choice, value] :
       {std::pair("output_rounding", "rz"), {"silu_rounding", "none"}}) {
    const Deviation change = ChangeOf(kScenario, choice, value);
    Evidence evidence = Observe(kScenario, {change});
    std::erase_if(evidence.observed, [](const harness::Observation& seen) {
      return seen.values.spec.role != Role::kOutput || seen.values.spec.name != "output";
    });
    BOOST_REQUIRE(evidence.observed.size() == 1u);
    const Explanation explanation = Explained(evidence);
    BOOST_TEST(Names(explanation, change), Describe(explanation));
  }
}

BOOST_AUTO_TEST_CASE(a_tap_alone) {
  const Deviation change = ChangeOf(kScenario, "key_dot_tree", "ws_ascending");
  Evidence evidence = Observe(kScenario, {change});
  std::erase_if(evidence.observed,
                [](const harness::Observation& seen) { return seen.values.spec.name != "dot"; });
  const Explanation explanation = Explained(evidence);
  BOOST_TEST(Names(explanation, change), Describe(explanation));
  BOOST_TEST((explanation.verdict == Verdict::kLegalReordering), Describe(explanation));
}

/// One flipped bit is no factor, and what follows it was computed from the right value.
BOOST_AUTO_TEST_CASE(a_stray_bit_is_described) {
  for (const std::string name : {"outputs/output", "outputs/state", "taps/out.raw"}) {
    Evidence evidence = Observe(kScenario);
    Tensor& tensor = Seen(&evidence, name).values;
    const DType dtype = tensor.spec.dtype;
    int64_t at = 3;  // written, and no zero
    while (harness::ElementBits(tensor, at) == PoisonBits(dtype) ||
           harness::ToFloat(dtype, harness::ElementBits(tensor, at)) == 0) {
      ++at;
    }
    tensor.data[at * SizeOf(dtype)] ^= std::byte{1};
    const Explanation explanation = Explained(evidence);
    BOOST_REQUIRE_MESSAGE(explanation.findings.size() == 1u, name << ": " << Describe(explanation));
    BOOST_TEST(explanation.findings[0].changes.empty(), name << ": " << Describe(explanation));
    BOOST_TEST(explanation.findings[0].differing == 1, name << ": " << Describe(explanation));
  }
}

BOOST_AUTO_TEST_CASE(what_nothing_explains_is_described) {
  Evidence evidence = Observe(kScenario);
  Edit(
      &Seen(&evidence, "taps/correction"),
      [](int64_t, int64_t token, int64_t head) { return token >= 1 && head == 0; },
      [](int64_t i, uint32_t bits) { return bits ^ static_cast<uint32_t>(1 + i % 3); });
  const Explanation explanation = Explained(evidence);
  BOOST_REQUIRE_MESSAGE(explanation.findings.size() == 1u, Describe(explanation));
  const harness::Finding& finding = explanation.findings[0];
  BOOST_TEST(finding.changes.empty(), Describe(explanation));
  BOOST_TEST(finding.tensors == std::vector<std::string>{"taps/correction"},
             boost::test_tools::per_element());
  for (const char* const text :
       {"nothing that is known", "token>=1", "head=0", "every one there", "only bits 0..1"}) {
    BOOST_TEST(finding.sentence.find(text) != std::string::npos, text << ": " << finding.sentence);
  }
}

/// A launch of more pieces than a sample has: the fault is in one of them.
BOOST_AUTO_TEST_CASE(a_rare_fault_in_a_large_launch) {
  const Scenario scenario = {
      .config = {{"tokens", "2"}, {"heads", "6"}, {"requests", "8"}, {"padding", "alternate"}},
      .style = "specials"};
  for (const auto& [choice, value] :
       {std::pair("arithmetic", "ftz"), {"variance", "fused"}, {"silu_rounding", "bf16_rz"}}) {
    const Deviation change = ChangeOf(scenario, choice, value);
    const Explanation explanation = Explained(Observe(scenario, {change}));
    if (explanation.verdict == Verdict::kIdentical) continue;
    BOOST_TEST(Names(explanation, change), choice << ": " << Describe(explanation));
    BOOST_TEST(explanation.findings.size() == 1u, choice << ": " << Describe(explanation));
  }
}

BOOST_AUTO_TEST_CASE(a_whole_capture_in_another_order) {
  const Scenario scenario = {.config = {{"tokens", "2"}, {"heads", "3"}, {"requests", "2"}}};
  const Evidence truth = Observe(scenario);
  for (const auto& [dim, source, text] :
       {std::tuple("head", std::vector<int64_t>{2, 0, 1}, "rotated by -1 along head"),
        {"head", {1, 0, 2}, "in the order 1,0,2 of heads"},
        {"request", {1, 0}, "reversed along request"},
        {"token", {1, 0}, "reversed along token"}}) {
    Evidence evidence = truth;
    for (harness::Observation& seen : evidence.observed) {
      const auto& dims = seen.values.spec.dims;
      const auto at = std::ranges::find(dims, dim) - dims.begin();
      if (seen.values.spec.role != Role::kTap || at == std::ssize(dims)) continue;
      seen.values = harness::Apply(
          {.kind = Kind::kPermuted, .dim = static_cast<int>(at), .source = source}, seen.values);
    }
    const Explanation explanation = Explained(evidence);
    BOOST_REQUIRE_MESSAGE(explanation.findings.size() == 1u, dim << ": " << Describe(explanation));
    BOOST_TEST(explanation.findings[0].sentence.find(text) != std::string::npos,
               dim << ": " << Describe(explanation));
  }
}

/// Heads are blocks of the channels of an output.
BOOST_AUTO_TEST_CASE(heads_of_an_output_in_another_order) {
  const Scenario scenario = {.config = {{"tokens", "2"}, {"heads", "3"}, {"requests", "2"}}};
  Evidence evidence = Observe(scenario);
  harness::Transform order = {.kind = Kind::kPermuted, .dim = 1};
  for (const int64_t head : {1, 0, 2}) {
    for (int64_t i = 0; i < 128; ++i) order.source.push_back(head * 128 + i);
  }
  Tensor& output = Seen(&evidence, "outputs/output").values;
  output = harness::Apply(order, output);
  const Explanation explanation = Explained(evidence);
  BOOST_TEST(Says(explanation, "outputs/output", "in the order 1,0,2 of blocks of 128 channels"),
             Describe(explanation));
}

BOOST_AUTO_TEST_CASE(a_table_of_slots_in_another_order) {
  for (const bool taps : {true, false}) {
    Scenario scenario = kScenario;
    scenario.taps = taps;
    const Explanation explanation =
        Explained(Observe(scenario, "slots", {.kind = Kind::kReversed, .dim = 0}));
    BOOST_TEST(Says(explanation, "outputs/state", "computed from inputs/slots"),
               Describe(explanation));
  }
}

/// The results are right, the captured operand is not.
BOOST_AUTO_TEST_CASE(an_input_that_was_captured_wrongly) {
  for (const char* const name : {"slots", "x"}) {
    Evidence evidence = Observe(kScenario);
    Tensor& input = evidence.inputs.At(Role::kInput, name);
    evidence.golden_inputs.tensors.push_back(input);
    input = harness::Apply({.kind = Kind::kReversed, .dim = 0}, input);
    const Explanation explanation = Explained(evidence);
    BOOST_REQUIRE_MESSAGE(explanation.findings.size() == 1u, Describe(explanation));
    BOOST_TEST(explanation.findings[0].sentence.find("as in the golden file, not as captured") !=
                   std::string::npos,
               Describe(explanation));
  }
}

/// Any other value of a scalar, found from the bits: by name, or solved for.
BOOST_AUTO_TEST_CASE(a_scalar_of_another_value) {
  for (const auto& [name, value, tensor] : {std::tuple("lower_bound", "-4", "taps/decay"),
                                            {"lower_bound", "-3.7", "taps/decay"},
                                            {"scale", "0.125", "taps/norm.q"},
                                            {"scale", "0.0883", "taps/norm.q"}}) {
    const Settings truth = FindKernel("kda_decode")->Complete(kScenario.config);
    const Deviation change = {Deviation::Kind::kAxis, name, truth.at(name), value, {}};
    const Explanation explanation = Explained(Observe(kScenario, {change}));
    BOOST_REQUIRE_MESSAGE(explanation.findings.size() == 1u, Describe(explanation));
    BOOST_TEST(Says(explanation, tensor, "computed with " + std::string(name) + "=" + value),
               Describe(explanation));
  }
}

BOOST_AUTO_TEST_CASE(a_scalar_of_another_value_from_outputs_alone) {
  Scenario scenario = kScenario;
  scenario.taps = false;
  const Deviation change = {Deviation::Kind::kAxis, "lower_bound", "-5", "-4.5", {}};
  const Explanation explanation = Explained(Observe(scenario, {change}));
  BOOST_TEST(Says(explanation, "outputs/state", "computed with lower_bound=-4.5 instead of -5"),
             Describe(explanation));
}

/// NaN passes through every stage: no choice is to blame for tensors of nothing else.
BOOST_AUTO_TEST_CASE(tensors_of_nan_alone) {
  const Deviation change = ChangeOf(kScenario, "key_dot_tree", "ws_ascending");
  Evidence evidence = Observe(kScenario, {change});
  const auto nan = [](int64_t, uint32_t) -> uint32_t { return 0x7FC0DEAD; };
  Edit(&Seen(&evidence, "taps/norm.q"), kEverywhere, nan);
  Edit(&Seen(&evidence, "taps/out.acc"), kEverywhere, nan);
  const Explanation explanation = Explained(evidence);
  BOOST_REQUIRE_MESSAGE(explanation.findings.size() == 2u, Describe(explanation));
  BOOST_TEST(explanation.findings[0].sentence == "taps/norm.q, taps/out.acc: NaN everywhere");
  BOOST_TEST(Names(explanation, change), Describe(explanation));

  for (harness::Observation& seen : evidence.observed) {
    const uint32_t bits = SizeOf(seen.values.spec.dtype) == 4 ? 0x7FC0DEAD : 0x7FC1;
    for (int64_t i = 0; i < seen.values.spec.elements(); ++i) {
      std::memcpy(seen.values.data.data() + i * SizeOf(seen.values.spec.dtype), &bits,
                  SizeOf(seen.values.spec.dtype));
    }
  }
  BOOST_TEST(Explained(evidence).findings.size() == 1u, Describe(Explained(evidence)));
}

/// A state that was kept in bf16; what nobody wrote to is some NaN.
BOOST_AUTO_TEST_CASE(a_state_that_was_stored_as_bf16) {
  Scenario scenario = kScenario;
  scenario.taps = false;
  Evidence evidence = Observe(scenario);
  Tensor& state = Seen(&evidence, "outputs/state").values;
  for (uint32_t& bits : state.view<uint32_t>()) bits &= 0xFFFF0000u;
  const Explanation explanation = Explained(evidence);
  BOOST_TEST(Says(explanation, "outputs/state", "right, but truncated to bf16"),
             Describe(explanation));
}

BOOST_AUTO_TEST_CASE(zeros_are_no_scalar) {
  Scenario scenario = kScenario;
  scenario.taps = false;
  Evidence evidence = Observe(scenario);
  Tensor& output = Seen(&evidence, "outputs/output").values;
  std::ranges::fill(output.data, std::byte{0});
  const Explanation explanation = Explained(evidence);
  BOOST_REQUIRE_MESSAGE(explanation.findings.size() == 1u, Describe(explanation));
  BOOST_TEST(explanation.findings[0].sentence == "outputs/output: right, but zero");
}

BOOST_AUTO_TEST_SUITE_END()
