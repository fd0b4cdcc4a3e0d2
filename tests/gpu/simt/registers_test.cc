// Registers that the warps of a block pass to each other: setmaxnreg.
#include <boost/test/unit_test.hpp>
#include <string>

#include "tests/gpu/simt/run_kernel.h"

namespace samebits::gpu::simt {
namespace {

constexpr int kGroup = 128;  // threads of a warpgroup
constexpr LaunchShape kTwoGroups{.threads = 2 * kGroup, .shared_bytes = 16, .registers = 128};

bool IsFirstGroup(const HostLane& lane) { return lane.ThreadIndex() < kGroup; }

enum class Order : uint8_t { kNone, kBarrier };

/// The first warpgroup multiplies with 216 registers what the second one loads with 40; afterwards
/// all have 128 again. Unless a barrier keeps them, warps of the second that are done with their
/// loads may take their registers back before the first has them.
void LoadAndMultiply(const HostLane& lane, Order order) {
  constexpr int kOrdered = 1, kProduct = 2;
  auto* full = reinterpret_cast<uint64_t*>(lane.shared());
  if (lane.ThreadIndex() == 0) lane.MbarrierInit(full, kGroup);
  lane.BlockBarrier();
  const auto keep_order = [&] {
    if (order == Order::kBarrier) lane.NamedBarrier(kOrdered, 2 * kGroup);
  };
  if (IsFirstGroup(lane)) {
    lane.RegistersIncrease<216>();
    keep_order();
    lane.MbarrierWait(full, 0);
    lane.NamedBarrier(kProduct, kGroup);
    lane.RegistersDecrease<128>();
  } else {
    lane.RegistersDecrease<40>();
    keep_order();
    lane.MbarrierArrive(full);
    lane.RegistersIncrease<128>();
  }
}

const Kernel kUnordered = [](const HostLane& lane) { LoadAndMultiply(lane, Order::kNone); };
const Kernel kOrdered = [](const HostLane& lane) { LoadAndMultiply(lane, Order::kBarrier); };

LaunchShape WithRegisters(LaunchShape shape, int registers) {
  shape.registers = registers;
  return shape;
}

void ExpectClean(const LaunchShape& shape, const Kernel& kernel) {
  for (uint64_t schedule = 0; schedule < kSchedules; ++schedule) {
    BOOST_CHECK_NO_THROW(RunKernel(shape, schedule, {}, kernel));
  }
}

BOOST_AUTO_TEST_SUITE(simt_registers)

BOOST_AUTO_TEST_CASE(registers_taken_back_too_early) {
  int found = 0;
  for (uint64_t schedule = 0; schedule < kSchedules; ++schedule) {
    const std::optional<Fault> fault = FaultOf(kTwoGroups, schedule, {}, kUnordered);
    if (!fault) continue;
    ++found;
    BOOST_TEST((fault->kind() == FaultKind::kDeadlock), fault->what());
    BOOST_TEST(std::string(fault->what()).find("for 88 registers per thread, 0 are free") !=
                   std::string::npos,
               fault->what());
  }
  BOOST_TEST(found > 0);
}

BOOST_AUTO_TEST_CASE(a_barrier_orders_increases) { ExpectClean(kTwoGroups, kOrdered); }

BOOST_AUTO_TEST_CASE(nothing_waits_in_a_launch_without_known_registers) {
  ExpectClean(WithRegisters(kTwoGroups, 0), kUnordered);
  ExpectClean(WithRegisters(kTwoGroups, 0), [](const HostLane& lane) {
    lane.RegistersDecrease<88>();
    lane.RegistersDecrease<168>();
    lane.RegistersIncrease<40>();
  });
}

// 256 threads at 168 registers cannot start before the other 256 have given theirs back.
BOOST_AUTO_TEST_CASE(registers_move_between_warpgroups) {
  ExpectClean({.threads = 512, .registers = 128}, [](const HostLane& lane) {
    if (lane.ThreadIndex() < 256) {
      lane.RegistersIncrease<168>();
    } else {
      lane.RegistersDecrease<88>();
    }
  });
}

// Four warps give up 40, one takes 88 of these 160.
BOOST_AUTO_TEST_CASE(registers_that_never_come) {
  ExpectFault(
      kTwoGroups, {},
      [](const HostLane& lane) {
        if (IsFirstGroup(lane)) {
          lane.RegistersIncrease<216>();
        } else {
          lane.RegistersDecrease<88>();
        }
      },
      FaultKind::kDeadlock, "for 88 registers per thread, 72 are free");
}

// What the multiprocessor has beyond the block's own registers is not for it.
BOOST_AUTO_TEST_CASE(a_block_has_what_it_was_launched_with) {
  ExpectFault(
      {.threads = 32, .registers = 128}, {},
      [](const HostLane& lane) { lane.RegistersIncrease<136>(); }, FaultKind::kDeadlock,
      "block 0: 32 threads (0..31) wait at registers_test.cc");
}

BOOST_AUTO_TEST_CASE(each_block_has_registers_of_its_own) {
  ExpectFault(
      {.blocks = 2, .threads = 32, .cluster = 2, .registers = 128}, {},
      [](const HostLane& lane) {
        if (lane.BlockIndex() == 0) {
          lane.RegistersDecrease<40>();
        } else {
          lane.RegistersIncrease<136>();
        }
      },
      FaultKind::kDeadlock, "block 1: 32 threads (0..31) wait");
}

// What the others wait for is a consequence; they may be many.
BOOST_AUTO_TEST_CASE(the_report_begins_with_the_wait_for_registers) {
  ExpectFault(
      {.blocks = 16, .threads = 32, .co_resident = true, .registers = 128}, {},
      [](const HostLane& lane) {
        if (lane.BlockIndex() == 15) lane.RegistersIncrease<136>();
        lane.GridBarrier();
      },
      FaultKind::kDeadlock, "0 have ended; block 15: 32 threads (0..31) wait");
}

BOOST_AUTO_TEST_CASE(a_warp_that_ends_keeps_its_registers) {
  ExpectFault(
      kTwoGroups, {},
      [](const HostLane& lane) {
        if (IsFirstGroup(lane)) lane.RegistersIncrease<216>();
      },
      FaultKind::kDeadlock, "for 88 registers per thread, 0 are free");
}

BOOST_AUTO_TEST_CASE(wrong_direction) {
  ExpectFault(
      kTwoGroups, {}, [](const HostLane& lane) { lane.RegistersDecrease<136>(); },
      FaultKind::kOperand,
      "asks for a decrease to 136 registers per thread, but its warp holds 128");
  ExpectFault(
      kTwoGroups, {},
      [](const HostLane& lane) {
        lane.RegistersDecrease<40>();
        lane.RegistersIncrease<32>();
      },
      FaultKind::kOperand,
      "asks for an increase to 32 registers per thread, but its warp holds 40");
  ExpectClean(kTwoGroups, [](const HostLane& lane) {
    lane.RegistersDecrease<128>();
    lane.RegistersIncrease<128>();
  });
}

BOOST_AUTO_TEST_CASE(counts_that_the_instruction_has_not) {
  for (const int registers : {0, 128}) {
    const LaunchShape shape = WithRegisters(kTwoGroups, registers);
    ExpectFault(
        shape, {}, [](const HostLane& lane) { lane.RegistersDecrease<16>(); }, FaultKind::kOperand,
        "not a multiple of 8 from 24 to 256");
    ExpectFault(
        shape, {}, [](const HostLane& lane) { lane.RegistersIncrease<132>(); }, FaultKind::kOperand,
        "not a multiple of 8 from 24 to 256");
    ExpectFault(
        shape, {}, [](const HostLane& lane) { lane.RegistersIncrease<264>(); }, FaultKind::kOperand,
        "not a multiple of 8 from 24 to 256");
  }
}

BOOST_AUTO_TEST_CASE(lanes_of_a_warp_that_differ) {
  ExpectFault(
      {.registers = 128}, {},
      [](const HostLane& lane) {
        if (lane.ThreadIndex() == 7) {
          lane.RegistersDecrease<96>();
        } else {
          lane.RegistersDecrease<88>();
        }
      },
      FaultKind::kOperand, "but lane 0 of its warp for a decrease to 88");
}

BOOST_AUTO_TEST_CASE(shapes_that_cannot_be_launched) {
  for (const int registers : {-8, 100, 136}) {
    BOOST_CHECK_THROW(WithRegisters({.threads = 512}, registers).validate(), ConfigError);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace samebits::gpu::simt
