// Configurations, plans and operands: what is accepted, and how a refusal reads.
#include <algorithm>
#include <bit>
#include <boost/test/unit_test.hpp>

#include "model/kda_decode/axes.h"
#include "model/kda_decode/kernel.h"
#include "model/kda_decode/plan.h"
#include "tests/model/kda_decode/case.h"

namespace samebits::kda_decode::testing {
namespace {

std::string Refusal(const Settings& settings) {
  try {
    GetKernel().Complete(settings);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

std::string OperandRefusal(const Settings& settings, const Edit& edit) {
  try {
    MakeCase(settings, HashSource(1), edit);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

BOOST_AUTO_TEST_SUITE(config)

BOOST_AUTO_TEST_CASE(completion_is_canonical) {
  const Settings complete =
      GetKernel().Complete({{"tokens", "4"}, {"window", "+2"}, {"eps", "0.00001"}});
  BOOST_TEST(complete.at("window") == "8");
  BOOST_TEST(complete.at("eps") == "1e-05");
  BOOST_TEST(complete.at("scale") == "0.088388346");
  BOOST_TEST(complete.at("heads") == "12");
  BOOST_TEST(complete.size() == GetKernel().axes().size());
  BOOST_TEST((GetKernel().Complete(complete) == complete));
  for (const Axis& axis : GetKernel().axes()) {
    BOOST_TEST(Refusal({{axis.name, axis.default_value}}) == "", axis.name);
  }
  const Config config = ReadConfig(GetKernel().Complete({}));
  BOOST_TEST(std::bit_cast<uint32_t>(config.scale) == 0x3DB504F3u);
  BOOST_TEST(std::bit_cast<uint32_t>(config.eps) == 0x3727C5ACu);
}

BOOST_AUTO_TEST_CASE(refusals_name_the_field_and_what_was_expected) {
  const std::pair<Settings, const char*> cases[] = {
      {{{"tokens", "9"}}, "tokens: '9' is not an integer in 1..8"},
      {{{"tokens", "x"}}, "tokens: 'x' is not an integer in 1..8"},
      {{{"token", "1"}}, "token: kda_decode has no such axis"},
      {{{"padding", "some"}}, "padding: 'some' is not one of none, first, last, alternate, all"},
      {{{"window", "5"}, {"tokens", "4"}}, "window: 5 is not in 6..1024 (tokens + 2 at least)"},
      {{{"record", "1"}}, "record: needs tokens > 1, a verify step has at least 2"},
      {{{"accepted", "full"}}, "accepted: must be one with tokens 1, which has no num_accepted"},
      {{{"targets", "null"}}, "targets: must be distinct with tokens 1, which has one slot"},
      {{{"targets", "source"}, {"tokens", "2"}, {"record", "1"}},
       "targets: must be distinct with record, which writes no state"},
      {{{"lower_bound", "0"}}, "lower_bound: 0 is not negative and finite"},
      {{{"lower_bound", "low"}}, "lower_bound: 'low' is not a float32 number"},
      {{{"eps", "-1"}}, "eps: -1 is not finite and at least 0"},
  };
  for (const auto& [settings, message] : cases) BOOST_TEST(Refusal(settings) == message);
}

BOOST_AUTO_TEST_CASE(operand_refusals) {
  const Settings two = {{"tokens", "2"}, {"requests", "2"}, {"heads", "1"}};
  const auto put = [](const char* name, int index, int32_t value) -> Edit {
    return [=](const Config&, TensorSet* inputs) {
      inputs->At(Role::kInput, name).view<int32_t>()[index] = value;
    };
  };
  BOOST_TEST(OperandRefusal(two, put("num_accepted", 1, 3)) == "num_accepted[1]: 3 is not in 1..2");
  BOOST_TEST(OperandRefusal(two, put("num_accepted", 0, 0)) == "num_accepted[0]: 0 is not in 1..2");
  BOOST_TEST(OperandRefusal(two, put("slots", 1, 99)) ==
             "slots[0][1]: 99 is not below the 7 slots of the caches");
  BOOST_TEST(OperandRefusal(two, [](const Config&, TensorSet* inputs) {
               const auto slots = inputs->At(Role::kInput, "slots").view<int32_t>();
               slots[0] = 3;
               slots[1] = 4;
               slots[2] = 5;
               slots[3] = 4;
             }) == "slots[1][1]: slot 4 is used by request 0 as well");
  BOOST_TEST(OperandRefusal(two, [](const Config&, TensorSet* inputs) {
               inputs->At(Role::kInput, "slots").view<int32_t>()[0] = 0;
               inputs->At(Role::kInput, "slots").view<int32_t>()[1] = 3;
               inputs->At(Role::kInput, "num_accepted").view<int32_t>()[0] = 2;
             }) == "slots[0][0]: 0 is not positive although the state's slot is 3");
  BOOST_TEST(OperandRefusal({{"tokens", "2"}, {"requests", "1"}, {"heads", "1"}, {"record", "1"}},
                            put("num_accepted", 0, 2)) ==
             "num_accepted[0]: 2 needs 2 slot columns, there are 1");
}

BOOST_AUTO_TEST_CASE(plan_has_the_strides_of_the_configuration) {
  const Config config = ReadConfig({{"tokens", "2"},
                                    {"heads", "3"},
                                    {"rows", "packed"},
                                    {"pages", "gapped"},
                                    {"requests", "2"}});
  const MemoryPlan plan = MakePlan(config, true);
  const auto find = [&](std::string_view name) {
    for (const Operand& operand : plan.operands) {
      if (operand.spec.name == name && operand.spec.role != Role::kTap) return operand;
    }
    throw std::out_of_range(std::string(name));
  };
  // 4*384 + 128 + 3 = 1667 columns, rounded up to a multiple of 16.
  for (const char* name : {"x", "gate", "f_a", "beta"}) {
    BOOST_TEST(find(name).strides[0] == 2 * 1680, name);
    BOOST_TEST(plan.allocations[find(name).allocation].name == "projection");
  }
  BOOST_TEST(find("beta").offset == 2 * (4 * 384 + 128));
  BOOST_TEST(find("state").strides[0] > 4 * 3 * 128 * 128);
  BOOST_TEST(find("state").strides[0] % 16 == 0);
  BOOST_TEST(find("conv_state").strides[0] % 16 == 0);
  BOOST_TEST(find("state").output);
  BOOST_TEST(find("conv_state").output);
  BOOST_TEST(SlotCount(config) == 1 + 2 * 2 + kSpareSlots);
}

BOOST_AUTO_TEST_CASE(slots_are_distinct_shuffled_and_leave_spares) {
  const Case c = MakeCase({{"tokens", "4"}, {"requests", "4"}, {"heads", "1"}}, HashSource(3));
  const auto slots = c.inputs.At(Role::kInput, "slots").view<int32_t>();
  std::vector<bool> used(SlotCount(c.config), false);
  bool in_order = true;
  for (size_t i = 0; i < slots.size(); ++i) {
    BOOST_REQUIRE(slots[i] > 0);
    BOOST_TEST(!used[slots[i]]);
    used[slots[i]] = true;
    if (i > 0 && slots[i] < slots[i - 1]) in_order = false;
  }
  BOOST_TEST(!in_order);
  BOOST_TEST(std::count(used.begin(), used.end(), false) == 1 + kSpareSlots);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace samebits::kda_decode::testing
