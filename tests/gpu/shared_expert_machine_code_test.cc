// The shared_expert machine code that this build ships: one architecture per matrix unit, and no
// spills.
#include <boost/test/unit_test.hpp>
#include <map>
#include <string>
#include <vector>

#include "gpu/cuda/backend.h"
#include "gpu/cuda/machine_code.h"
#include "gpu/device_kernel.h"
#include "gpu/shared_expert/hopper_layout.h"

namespace samebits::gpu {
namespace {

bool Contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

/// Every shared_expert kernel of one matrix unit in this program.
std::vector<MachineCode> Kernels(const char* unit) {
  // What links the kernels into this program.
  BOOST_TEST_REQUIRE(!CudaBackend()->kernels().empty());
  std::vector<MachineCode> kernels;
  for (MachineCode& code : ReadMachineCode("/proc/self/exe")) {
    if (Contains(code.symbol, "shared_expert") && Contains(code.symbol, unit)) {
      kernels.push_back(code);
    }
  }
  return kernels;
}

BOOST_AUTO_TEST_SUITE(shared_expert_machine_code)

BOOST_AUTO_TEST_CASE(every_instantiation_for_its_architecture) {
  // n = 8, 16 .. 128, with taps and without; FUSED, gate half and SharedDown on sm_90, FRONT on
  // sm_100 up to n = 64.
  BOOST_TEST(Kernels("Hopper").size() == 3u * 16u * 2u);
  BOOST_TEST(Kernels("Blackwell").size() == 2u * 16u * 2u + 8u * 2u);
  for (const MachineCode& code : Kernels("Hopper")) BOOST_TEST(code.architecture == 90);
  for (const MachineCode& code : Kernels("Blackwell")) BOOST_TEST(code.architecture == 100);
}

BOOST_AUTO_TEST_CASE(registers_and_spills) {
  for (const char* unit : {"Hopper", "Blackwell"}) {
    for (const MachineCode& code : Kernels(unit)) {
      BOOST_TEST_CONTEXT(code.symbol) {
        BOOST_TEST(code.registers <= 255);
        // What setmaxnreg shares out (gpu/shared_expert/hopper_layout.h).
        if (Contains(code.symbol, "Hopper")) {
          BOOST_TEST(code.registers == shared_expert::kHalfRegisters);
        }
        BOOST_TEST(code.stack_bytes == 0);
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace samebits::gpu
