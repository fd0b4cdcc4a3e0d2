// Scratch memory, LDS and refusals of kda_pre's launch.
#include "gpu/kda_pre/launch_plan.h"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "gpu/kda_pre/lds.h"
#include "model/contract.h"
#include "model/kda_pre/plan.h"

namespace samebits::gpu::kda_pre {
namespace {

using samebits::kda_pre::Config;

BOOST_AUTO_TEST_SUITE(kda_pre_launch_plan)

// SPEC.md 6.2 counts these.
BOOST_AUTO_TEST_CASE(scratch_sizes) {
  const ScratchLayout large = MakeScratchLayout({.tokens = 8, .nblocks = 8});
  BOOST_TEST(large.x == 674368);
  BOOST_TEST(large.epoch == 789056);
  BOOST_TEST(MakeScratchLayout({.tokens = 4, .requests = 2, .nblocks = 4}).epoch == 760128);
  BOOST_TEST(MakeScratchLayout({.tokens = 1, .nblocks = 1}).epoch == 92704);
  BOOST_TEST(large.epoch % 16 == 0);
}

BOOST_AUTO_TEST_CASE(windows_of_x) {
  BOOST_TEST(WindowRounds(3, kGfx942.lds_bytes) == 7);
  BOOST_TEST(WindowRounds(8, kGfx942.lds_bytes) == 2);
  BOOST_TEST(WindowRounds(16, kGfx942.lds_bytes) == 1);
  BOOST_TEST(WindowRounds(10, kGfx950.lds_bytes) == 7);
  BOOST_TEST(WindowRounds(16, kGfx950.lds_bytes) == 4);
}

/// What CheckLaunch says to a configuration on the target, "" if it takes it.
std::string Refusal(const Config& config, const AmdTarget& target) {
  config.validate();
  std::vector<void*> addresses(samebits::kda_pre::MakePlan(config, false).allocations.size(),
                               reinterpret_cast<void*>(uintptr_t{4096}));
  try {
    CheckLaunch(config, samebits::kda_pre::MakeOperands(config, addresses), target);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

BOOST_AUTO_TEST_CASE(refusals) {
  BOOST_TEST(Refusal({.tokens = 5, .requests = 2, .nblocks = 8, .state_len = 7}, kGfx942) == "");
  BOOST_TEST(Refusal({.tokens = 8, .requests = 2, .nblocks = 8, .state_len = 10}, kGfx950) == "");
  BOOST_TEST(Refusal({.tokens = 8, .requests = 2, .nblocks = 8, .state_len = 10}, kGfx942) ==
             "kda_pre: nblocks: 16 token rows of 9 sources need 81920 bytes of LDS, gfx942 has "
             "65536");
  BOOST_TEST(Refusal({.tokens = 9, .nblocks = 1, .state_len = 11}, kGfx950) ==
             "kda_pre: tokens: 9 is not in 1..8, for which there are kernels");
}

BOOST_AUTO_TEST_CASE(misaligned) {
  const Config config;
  std::vector<void*> addresses(samebits::kda_pre::MakePlan(config, false).allocations.size(),
                               reinterpret_cast<void*>(uintptr_t{4096}));
  auto operands = samebits::kda_pre::MakeOperands(config, addresses);
  operands.w_in += 4;
  BOOST_CHECK_EXCEPTION(CheckLaunch(config, operands, kGfx950), ConfigError,
                        [](const ConfigError& error) {
                          return std::string(error.what()).find("w_in") != std::string::npos;
                        });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace samebits::gpu::kda_pre
