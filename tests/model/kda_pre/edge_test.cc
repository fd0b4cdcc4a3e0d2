// Edge cases of SPEC.md section 9 and the rules of sections 2.3 and 2.4.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "model/arith/bfloat16.h"
#include "model/contract.h"
#include "model/kda_pre/inputs.h"
#include "model/kda_pre/plan.h"
#include "tests/model/kda_pre/case.h"

namespace samebits::kda_pre {
namespace {

const Tensor& Input(const TensorSet& set, std::string_view name) {
  return set.At(Role::kInput, name);
}
const Tensor& Output(const TensorSet& set, std::string_view name) {
  return set.At(Role::kOutput, name);
}

/// Bytes of index i of the outermost dimension.
std::span<const std::byte> Outer(const Tensor& tensor, int64_t i) {
  const size_t bytes = tensor.data.size() / tensor.spec.shape[0];
  return std::span(tensor.data).subspan(i * bytes, bytes);
}

bool SameSlot(const TensorSet& inputs, const TensorSet& results, std::string_view name, int slot) {
  return std::ranges::equal(Outer(Input(inputs, name), slot), Outer(Output(results, name), slot));
}

int32_t Slot(const TensorSet& inputs, const Config& c, int request, int token) {
  return Input(inputs, "st_idx").view<int32_t>()[request * c.tokens + token];
}

void SetBf16(TensorSet* inputs, std::string_view name, float value) {
  std::ranges::fill(inputs->At(Role::kInput, name).view<uint16_t>(), arith::RoundToBf16(value));
}

/// Rows of a [S][...] tap that hold a NaN.
bool HasNan(const Tensor& tensor, int64_t row) {
  const auto bytes = Outer(tensor, row);
  const std::span values(reinterpret_cast<const float*>(bytes.data()), bytes.size() / 4);
  return std::ranges::any_of(values, arith::IsNan);
}

Config Small(int requests, int tokens) {
  Config config;
  config.requests = requests, config.tokens = tokens, config.state_len = tokens + 2;
  return config;
}

BOOST_AUTO_TEST_SUITE(kda_pre_edges)

BOOST_AUTO_TEST_CASE(fast_path_and_threads_give_the_bits_of_the_plain_path) {  // E-4: NS = 9
  Config config = Small(2, 2);
  config.nblocks = 8;
  for (const char* style : {"realistic", "specials"}) {
    const TensorSet inputs = MakeInputs(config, style);
    const TensorSet fast = RunModel(config, inputs);
    BOOST_TEST(FirstDifference(fast, RunModel(config, inputs, {}, 1)) == "");
    const Choices gfx942 = ReadChoices(ContractTable().Named("kda_pre.gfx942"));
    BOOST_TEST(FirstDifference(fast, RunModel(config, inputs, gfx942)) == "proj");
  }
  const TensorSet inputs = MakeInputs(Small(1, 1), "specials");
  BOOST_TEST(FirstDifference(RunModel(Small(1, 1), inputs),
                             RunModel(Small(1, 1), inputs, {}, 2, Path::kPlain)) == "");
}

BOOST_AUTO_TEST_CASE(padded_request_writes_zeros_and_no_cache) {  // E-6, E-7
  Config config = Small(2, 2);
  config.padding = Padding::kLast;
  const TensorSet inputs = MakeInputs(config);
  const TensorSet results = RunModel(config, inputs);
  const auto core = Output(results, "core_out").view<uint16_t>();
  for (int64_t i = 2 * kProjection; i < 4 * kProjection; ++i) {
    BOOST_REQUIRE((core[i] & 0x7FFF) == 0);
  }
  for (int slot = 0; slot < SlotCount(config); ++slot) {
    const bool used = slot == Slot(inputs, config, 0, 0) || slot == Slot(inputs, config, 0, 1);
    BOOST_TEST(SameSlot(inputs, results, "rstate", slot) == !used);
    BOOST_TEST(SameSlot(inputs, results, "conv_state", slot) ==
               (slot != Slot(inputs, config, 0, 0)));
  }
}

BOOST_AUTO_TEST_CASE(convolution_and_recurrence_die_independently) {  // E-8
  for (const Targets targets : {Targets::kDeadState, Targets::kDeadConv}) {
    Config config = Small(1, 2);
    config.accepted = Accepted::kFull, config.targets = targets;
    const TensorSet inputs = MakeInputs(config);
    const TensorSet results = RunModel(config, inputs);
    const bool state_dead = targets == Targets::kDeadState;
    bool conv_same = true, state_same = true;
    for (int slot = 0; slot < SlotCount(config); ++slot) {
      conv_same &= SameSlot(inputs, results, "conv_state", slot);
      state_same &= SameSlot(inputs, results, "rstate", slot);
    }
    BOOST_TEST(conv_same == !state_dead);
    BOOST_TEST(state_same == state_dead);
  }
}

BOOST_AUTO_TEST_CASE(last_token_wins_a_shared_slot) {  // E-10
  Config config = Small(1, 3);
  config.targets = Targets::kRepeated;
  const TensorSet inputs = MakeInputs(config);
  const TensorSet results = RunModel(config, inputs);
  const auto after = Outer(results.At(Role::kTap, "state.after"), 2);
  BOOST_TEST(
      std::ranges::equal(Outer(Output(results, "rstate"), Slot(inputs, config, 0, 0)), after));
}

BOOST_AUTO_TEST_CASE(window_moves_by_the_accepted_tokens) {  // E-11
  Config config = Small(1, 3);
  config.accepted = Accepted::kFull;
  config.state_len = 6;
  const TensorSet inputs = MakeInputs(config);
  const TensorSet results = RunModel(config, inputs);
  const int slot = Slot(inputs, config, 0, 0);
  const auto proj = results.At(Role::kTap, "proj").view<float>();
  const int64_t channel = 1234, at = (int64_t{slot} * kConvChannels + channel) * config.state_len;
  const auto before = Input(inputs, "conv_state").view<uint16_t>().subspan(at, 6);
  const auto after = Output(results, "conv_state").view<uint16_t>().subspan(at, 6);
  for (int i = 0; i < 3; ++i) {
    BOOST_TEST(after[i] == before[3 + i]);
    BOOST_TEST(after[3 + i] == arith::RoundToBf16(proj[i * kInProjRows + channel]));
  }
}

BOOST_AUTO_TEST_CASE(without_delta_the_block_receives_the_prefix) {  // E-5, E-13
  Config config = Small(1, 1);
  config.delta = Delta::kNone, config.nblocks = 2, config.write_idx = 2;
  const TensorSet inputs = MakeInputs(config);
  const TensorSet results = RunModel(config, inputs);  // reports a written prefix
  BOOST_TEST(results.Find(Role::kOutput, "prefix") == nullptr);
  const auto blocks = Output(results, "blocks").view<uint16_t>();
  const auto old = Input(inputs, "blocks").view<uint16_t>();
  const auto prefix = Input(inputs, "prefix").view<uint16_t>();
  BOOST_TEST(std::ranges::equal(blocks.subspan(2 * kHidden, kHidden), prefix));
  BOOST_TEST(std::ranges::equal(blocks.first(2 * kHidden), old.first(2 * kHidden)));
  BOOST_TEST(std::ranges::equal(blocks.subspan(3 * kHidden), old.subspan(3 * kHidden)));
}

BOOST_AUTO_TEST_CASE(reset_replaces_the_prefix) {  // 2.4
  Config config = Small(1, 1);
  config.reset = true;
  TensorSet inputs = MakeInputs(config);
  const TensorSet results = RunModel(config, inputs);
  BOOST_TEST(std::ranges::equal(Output(results, "prefix").data, Input(inputs, "delta").data));
  Config lds = config;
  lds.delta = Delta::kLds;
  TensorSet wide = MakeInputs(lds);
  const auto delta = Input(inputs, "delta").view<uint16_t>();
  std::ranges::transform(delta, wide.At(Role::kInput, "delta").view<float>().begin(), arith::Widen);
  BOOST_TEST(FirstDifference(results, RunModel(lds, wide)) == "");
}

BOOST_AUTO_TEST_CASE(negative_zeros_become_positive) {  // E-14
  Config config = Small(1, 1);
  config.delta = Delta::kNone;
  TensorSet inputs = MakeInputs(config);
  SetBf16(&inputs, "prefix", -0.0f);
  const auto blocks = inputs.At(Role::kInput, "blocks").view<uint16_t>();
  std::ranges::fill(blocks.first(kHidden), uint16_t{0x8000});
  const TensorSet results = RunModel(config, inputs);
  for (const uint32_t bits : results.At(Role::kTap, "mixed").view<uint32_t>()) {
    BOOST_REQUIRE(bits == 0u);
  }
  for (const uint32_t bits : results.At(Role::kTap, "proj").view<uint32_t>()) {
    BOOST_REQUIRE(bits == 0u);
  }
}

BOOST_AUTO_TEST_CASE(nan_stays_with_its_request) {  // E-16, E-19
  Config config = Small(2, 2);
  TensorSet inputs = MakeInputs(config);
  inputs.At(Role::kInput, "prefix").view<uint16_t>()[kHidden + 5] = 0x7F80;  // row 1: infinity
  const TensorSet results = RunModel(config, inputs);
  for (int row = 0; row < 4; ++row) {
    BOOST_TEST(HasNan(results.At(Role::kTap, "mixed"), row) == (row == 1));
    BOOST_TEST(HasNan(results.At(Role::kTap, "proj"), row) == (row == 1));
    BOOST_TEST(HasNan(results.At(Role::kTap, "out.raw"), row) == (row == 1));
  }
}

BOOST_AUTO_TEST_CASE(logits_below_the_mask_give_nan) {  // E-17
  Config config = Small(1, 1);
  config.delta = Delta::kNone;
  TensorSet inputs = MakeInputs(config);
  SetBf16(&inputs, "prefix", 1.0f);
  SetBf16(&inputs, "ares_nw", 1.0f);
  SetBf16(&inputs, "ares_qk", -3e38f);
  const auto blocks = inputs.At(Role::kInput, "blocks").view<uint16_t>();
  std::ranges::fill(blocks.first(kHidden), uint16_t{0x3F80});
  const TensorSet results = RunModel(config, inputs);
  BOOST_TEST(std::isinf(results.At(Role::kTap, "logit").view<float>()[0]));
  for (const uint32_t bits : results.At(Role::kTap, "weight").view<uint32_t>()) {
    BOOST_TEST(bits == 0u);  // every e, and den
  }
  BOOST_TEST(HasNan(results.At(Role::kTap, "mixed"), 0));
}

BOOST_AUTO_TEST_CASE(gate_extremes) {  // E-21
  Config config = Small(1, 1);
  TensorSet inputs = MakeInputs(config);
  inputs.At(Role::kInput, "a_log").view<float>()[0] = 200.0f;
  SetBf16(&inputs, "w_fb", 0.0f);
  const auto bias = inputs.At(Role::kInput, "dt_bias").view<float>();
  bias[0] = 0.0f, bias[1] = 1.0f, bias[2] = -1.0f;
  const TensorSet results = RunModel(config, inputs);
  const auto decay = results.At(Role::kTap, "decay").view<float>();
  BOOST_TEST(arith::IsNan(decay[0]));
  BOOST_TEST(decay[1] < 0.0068f);
  BOOST_TEST(decay[1] > 0.0067f);  // exp(-5)
  BOOST_TEST(decay[2] == 1.0f);
}

BOOST_AUTO_TEST_CASE(zero_keys_stay_zero) {  // E-22
  Config config = Small(1, 1);
  TensorSet inputs = MakeInputs(config);
  std::ranges::fill(inputs.At(Role::kInput, "conv_w").view<float>(), 0.0f);
  const TensorSet results = RunModel(config, inputs);
  for (const float y : results.At(Role::kTap, "qkn").view<float>()) BOOST_REQUIRE(y == 0.0f);
}

BOOST_AUTO_TEST_CASE(steps_are_launches_in_a_row) {
  Config two = Small(1, 2);
  two.steps = 2, two.write_idx = 1;
  const TensorSet inputs = MakeInputs(two);
  const TensorSet both = RunModel(two, inputs);
  Config one = two;
  one.steps = 1;
  TensorSet next = inputs;
  const TensorSet first = RunModel(one, inputs);
  for (const char* name : {"prefix", "blocks", "conv_state", "rstate"}) {
    next.At(Role::kInput, name).data = Output(first, name).data;
  }
  BOOST_TEST(FirstDifference(both, RunModel(one, next)) == "");
  BOOST_TEST(FirstDifference(both, first) == "part");
}

BOOST_AUTO_TEST_CASE(layouts_hold_the_same_values) {  // E-12
  Config dense = Small(1, 2);
  Config gapped = dense;
  gapped.pages = Pages::kGapped;
  const TensorSet inputs = MakeInputs(dense);
  BOOST_TEST(FirstDifference(RunModel(dense, inputs), RunModel(gapped, inputs)) == "");
}

BOOST_AUTO_TEST_CASE(every_choice_changes_its_first_tap_or_nothing_before_it) {
  Config config = Small(1, 1);
  config.nblocks = 8;
  const TensorSet inputs = MakeInputs(config);
  const TensorSet base = RunModel(config, inputs);
  std::vector<std::string> order;
  for (const Tensor& tensor : base.tensors) {
    if (tensor.spec.role == Role::kTap) order.push_back(tensor.spec.name);
  }
  order.push_back("core_out");
  const auto place = [&](const std::string& name) {
    return std::ranges::find(order, name) - order.begin();
  };
  int changed = 0;
  for (const Choice& choice : ContractTable().choices()) {
    Contract contract = ContractTable().Named("");
    contract.choices[choice.name] = choice.values.back();
    const std::string first =
        FirstDifference(base, RunModel(config, inputs, ReadChoices(contract)));
    BOOST_TEST((first.empty() || place(first) >= place(choice.first_tap)),
               choice.name << "=" << choice.values.back() << " changes " << first);
    changed += !first.empty();
  }
  BOOST_TEST(changed > 18);
}

BOOST_AUTO_TEST_CASE(illegal_inputs_and_configurations_are_refused) {  // E-11, A-2, A-3
  Config config = Small(2, 2);
  TensorSet inputs = MakeInputs(config);
  auto& accepted = inputs.At(Role::kInput, "num_acc").view<int32_t>()[0];
  for (const int32_t n : {0, 3}) {
    accepted = n;
    BOOST_CHECK_THROW(CheckInputValues(config, inputs), ConfigError);
  }
  accepted = 1;
  BOOST_CHECK_NO_THROW(CheckInputValues(config, inputs));
  inputs.At(Role::kInput, "st_idx").view<int32_t>()[2] = Slot(inputs, config, 0, 0);
  BOOST_CHECK_THROW(CheckInputValues(config, inputs), ConfigError);
  const auto refused = [](auto change) {
    Config c = Small(1, 2);
    change(&c);
    BOOST_CHECK_THROW(c.validate(), ConfigError);
  };
  refused([](Config* c) { c->nblocks = 0; });
  refused([](Config* c) { c->nblocks = 4, c->write_idx = 3; });
  refused([](Config* c) { c->state_len = 3; });
  refused([](Config* c) { c->requests = 9; });
  refused([](Config* c) { c->reset = true, c->delta = Delta::kNone; });
  refused([](Config* c) { c->lower_bound = 0.0f; });
  refused([](Config* c) { c->targets = Targets::kDeadState; });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace samebits::kda_pre
