// What the constraints C1..C8 forbid (SPEC.md 2.5) is refused by the model and by the kernels
// alike, with one line that says why.
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <functional>
#include <string>

#include "gpu/shared_expert/preconditions.h"
#include "gpu/shared_expert/simt.h"
#include "model/shared_expert/axes.h"
#include "model/shared_expert/kernel.h"
#include "tests/model/shared_expert/refusals.h"

namespace samebits::gpu::shared_expert {
namespace {

using samebits::shared_expert::Config;
using samebits::shared_expert::Operands;
using samebits::shared_expert::Variant;
using samebits::shared_expert::testing::FrontWith;
using samebits::shared_expert::testing::Refusal;
using samebits::shared_expert::testing::Refusals;

/// The message of the ConfigError that `run` throws, "accepted" without one.
std::string Refused(const std::function<void()>& run) {
  try {
    run();
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

/// The message of both targets, which must be the same.
std::string RefusedByKernels(const Config& config) {
  const auto on = [&](Target target) {
    return Refused([&] { RunCaseOnHost(target, config, {}, {}, {}); });
  };
  const std::string message = on(Target::kHopper);
  BOOST_TEST(on(Target::kBlackwell) == message);
  return message;
}

Config Legal(const Settings& settings) { return samebits::shared_expert::ReadConfig(settings); }

/// `change` of a legal configuration is refused for that field and constraint.
void ExpectRefused(Config config, const std::function<void(Config&)>& change,
                   const std::string& field, const std::string& constraint) {
  change(config);
  const std::string message = RefusedByKernels(config);
  BOOST_TEST(message.starts_with(field + ":"), message);
  BOOST_TEST(message.find("(" + constraint + ")") != std::string::npos, message);
  BOOST_TEST(message.find('\n') == std::string::npos, message);
}

/// Addresses as a launch of FUSED or of a FRONT case needs them. No memory is behind them.
Operands Addresses() {
  Operands o{};
  uintptr_t next = 0x1000;
  const auto place = [&next](auto** address) {
    *address = reinterpret_cast<std::remove_reference_t<decltype(*address)>>(next += 0x1000);
  };
  place(const_cast<uint16_t**>(&o.x));
  place(const_cast<uint16_t**>(&o.gate_up));
  place(const_cast<uint16_t**>(&o.down));
  place(const_cast<uint16_t**>(&o.front));
  place(&o.counters);
  place(&o.mailbox);
  place(&o.front_mailbox);
  place(&o.h);
  place(&o.reduced);
  o.mailbox_stride = o.front_mailbox_stride = 1 << 20;
  return o;
}

void ExpectOperandRefused(const Settings& settings, const std::string& field,
                          const std::function<void(Operands&)>& change) {
  const Config config = Legal(settings);
  Operands operands = Addresses();
  BOOST_TEST(Refused([&] { CheckLaunch(config, operands, 8); }) == "accepted");
  change(operands);
  const std::string message = Refused([&] { CheckLaunch(config, operands, 8); });
  BOOST_TEST(message.starts_with("shared_expert: " + field + ":"), message);
}

BOOST_AUTO_TEST_SUITE(shared_expert_refusals)

BOOST_AUTO_TEST_CASE(settings_are_refused_by_the_kernels_in_the_words_of_the_model) {
  const Kernel& kernel = samebits::shared_expert::GetKernel();
  const Contract contract = kernel.NamedContract("shared_expert.sm_90");
  for (const Refusal& refusal : Refusals()) {
    const std::string model =
        Refused([&] { kernel.Run(refusal.settings, contract, false, {}, 1); });
    const std::string device =
        Refused([&] { SimtSharedExpert().Launch(refusal.settings, {}, {}); });
    BOOST_TEST(device == model);
    BOOST_TEST(model.find(refusal.field) != std::string::npos, model);
    BOOST_TEST(model.find(refusal.reason) != std::string::npos, model);
  }
}

BOOST_AUTO_TEST_CASE(configurations_are_checked_again_at_the_launch) {
  const Config fused = Legal({}), split = Legal({{"variant", "split"}}),
               front = Legal(FrontWith({}));
  ExpectRefused(
      fused, [](Config& c) { c.tp = 5; }, "tp", "C1");
  ExpectRefused(
      fused, [](Config& c) { c.batch = c.capacity = 129; }, "batch", "C2");
  ExpectRefused(
      front, [](Config& c) { c.batch = c.capacity = 65; }, "batch", "C2");
  ExpectRefused(
      split, [](Config& c) { c.batch = c.capacity = 112; }, "batch", "C5");
  ExpectRefused(
      fused, [](Config& c) { c.capacity = c.batch - 1; }, "capacity", "C7");
  ExpectRefused(
      fused, [](Config& c) { c.parity = 2; }, "parity", "C7");
  ExpectRefused(
      fused, [](Config& c) { c.rank = c.tp; }, "rank", "C7");
  ExpectRefused(
      front, [](Config& c) { c.front.valid += 4; }, "front_valid", "C8");
  ExpectRefused(
      front, [](Config& c) { c.front.rows = c.front.split; }, "front_rows", "C8");
  ExpectRefused(
      front, [](Config& c) { c.front.pitch += 4; }, "front_pitch", "C8");
}

BOOST_AUTO_TEST_CASE(operands_that_no_launch_can_read) {
  ExpectOperandRefused({}, "x", [](Operands& o) { o.x += 4; });
  ExpectOperandRefused({}, "x", [](Operands& o) { o.x = nullptr; });
  ExpectOperandRefused({}, "gate_up", [](Operands& o) { o.gate_up += 4; });
  ExpectOperandRefused({}, "down", [](Operands& o) { o.down += 4; });
  ExpectOperandRefused({}, "h", [](Operands& o) { o.h += 4; });
  ExpectOperandRefused({}, "mailbox", [](Operands& o) { o.mailbox += 4; });
  ExpectOperandRefused({}, "mailbox", [](Operands& o) { o.mailbox_stride += 4; });
  ExpectOperandRefused({}, "counters", [](Operands& o) { o.counters = nullptr; });
  ExpectOperandRefused(FrontWith({}), "front", [](Operands& o) { o.front += 4; });
  ExpectOperandRefused(FrontWith({}), "front_mailbox", [](Operands& o) { o.front_mailbox += 4; });
  ExpectOperandRefused(FrontWith({}), "front_mailbox",
                       [](Operands& o) { o.front_mailbox_stride += 4; });
  ExpectOperandRefused({{"rank", "-1"}, {"consumer", "1"}}, "reduced",
                       [](Operands& o) { o.reduced += 4; });
  const Config split = Legal({{"variant", "split"}});
  BOOST_TEST(
      Refused([&] { CheckLaunch(split, Addresses(), 0); }).starts_with("shared_expert: ctas:"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace samebits::gpu::shared_expert
