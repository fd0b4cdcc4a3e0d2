// Devices that cannot share the ranks of a case are refused in one line that names them.
#include "gpu/device_group.h"

#include <boost/test/unit_test.hpp>

namespace samebits::gpu {
namespace {

/// `count` devices that all reach each other.
std::vector<DeviceFacts> Devices(int count) {
  const std::vector<bool> all(static_cast<size_t>(count), true);
  return std::vector<DeviceFacts>(static_cast<size_t>(count), {"sm_90", all});
}

BOOST_AUTO_TEST_SUITE(device_group)

BOOST_AUTO_TEST_CASE(devices_that_reach_each_other_can) {
  for (int present = 1; present <= 8; ++present) {
    for (int count = 1; count <= present; ++count) {
      BOOST_TEST(GroupProblem(Devices(present), count) == "");
    }
  }
}

BOOST_AUTO_TEST_CASE(more_than_there_are) {
  BOOST_TEST(GroupProblem(Devices(1), 2) == "expected 2 devices, found 1");
  BOOST_TEST(GroupProblem(Devices(2), 8) == "expected 8 devices, found 2");
}

BOOST_AUTO_TEST_CASE(other_architectures) {
  std::vector<DeviceFacts> devices = Devices(3);
  devices[2].architecture = "sm_80";
  BOOST_TEST(GroupProblem(devices, 2) == "");
  BOOST_TEST(GroupProblem(devices, 3) ==
             "device 2 is sm_80, device 0 is sm_90: a case runs on one architecture");
}

BOOST_AUTO_TEST_CASE(memory_out_of_reach_in_either_direction) {
  for (const auto& [from, to] : {std::pair(0, 1), std::pair(1, 0)}) {
    std::vector<DeviceFacts> devices = Devices(4);
    devices[from].reaches[to] = false;
    BOOST_TEST(GroupProblem(devices, 1) == "");
    BOOST_TEST(GroupProblem(devices, 4) == "device " + std::to_string(from) +
                                               " cannot access the memory of device " +
                                               std::to_string(to) + " (no peer access)");
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace samebits::gpu
