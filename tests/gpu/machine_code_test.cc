// The machine code that this build ships: both architectures, registers, no spills, its hash.
#include "gpu/cuda/machine_code.h"

#include <boost/test/unit_test.hpp>
#include <set>
#include <string>
#include <vector>

#include "gpu/cuda/backend.h"
#include "gpu/device_kernel.h"
#include "gpu/kda_decode/kernels.h"

namespace samebits::gpu {
namespace {

/// Every kda_decode kernel of this program.
std::vector<MachineCode> Kernels() {
  // What links the kernels into this program.
  BOOST_TEST_REQUIRE(!CudaBackend()->kernels().empty());
  std::vector<MachineCode> kernels;
  for (MachineCode& code : ReadMachineCode("/proc/self/exe")) {
    if (code.symbol.find("KdaDecodeKernel") != std::string::npos) kernels.push_back(code);
  }
  return kernels;
}

bool HasTaps(const MachineCode& code) { return code.symbol.find("ELb1E") != std::string::npos; }

BOOST_AUTO_TEST_SUITE(machine_code)

BOOST_AUTO_TEST_CASE(every_instantiation_for_both_architectures) {
  std::set<std::pair<int, std::string>> seen;
  for (const MachineCode& code : Kernels()) {
    BOOST_TEST((code.architecture == 90 || code.architecture == 100));
    BOOST_TEST(code.text.size() > 10000u);
    seen.emplace(code.architecture, code.symbol);
  }
  BOOST_TEST(seen.size() == 2u * 8u * 2u);
}

BOOST_AUTO_TEST_CASE(registers_and_spills) {
  for (const MachineCode& code : Kernels()) {
    BOOST_TEST_CONTEXT("sm_" << code.architecture << " " << code.symbol) {
      // 512 threads share 65,536 registers; setmaxnreg moves them from 128.
      BOOST_TEST(code.registers == 128);
      // Nothing of a shipped kernel is on the stack; with taps, some words.
      BOOST_TEST(code.stack_bytes <= (HasTaps(code) ? 136 : 0));
    }
  }
}

BOOST_AUTO_TEST_CASE(hash_is_of_one_kernel_and_architecture) {
  std::set<std::string> hashes;
  const std::vector<MachineCode> kernels = Kernels();
  for (const MachineCode& code : kernels) {
    const std::string hash = MachineCodeHash(code.symbol, code.architecture);
    BOOST_TEST(hash.size() == 22u);
    BOOST_TEST(hash == MachineCodeHash(code.symbol, code.architecture));
    hashes.insert(hash);
  }
  BOOST_TEST(hashes.size() == kernels.size());
}

BOOST_AUTO_TEST_CASE(unknown_code) {
  BOOST_CHECK_THROW(MachineCodeHash("no such kernel", 90), EnvironmentError);
  BOOST_CHECK_THROW(ReadMachineCode("/proc/self/none"), EnvironmentError);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(cuda_backend)

BOOST_AUTO_TEST_CASE(is_listed) {
  BOOST_TEST_REQUIRE(!Backends().empty());
  BOOST_TEST(Backends()[0]->name() == "cuda");
  BOOST_TEST(Backends()[0]->kernels()[0]->kernel() == "kda_decode");
}

BOOST_AUTO_TEST_CASE(absent_device_has_a_reason_of_one_line) {
  const std::string reason = CudaBackend()->unavailable();
  if (reason.empty()) {
    BOOST_TEST(!CudaBackend()->Open()->info().name.empty());
    return;
  }
  BOOST_TEST(reason.find('\n') == std::string::npos);
  BOOST_TEST(reason == "no NVIDIA device or driver here");
  BOOST_CHECK_THROW(CudaBackend()->Open(), EnvironmentError);
  BOOST_CHECK_THROW(CudaBackend()->kernels()[0]->contract(), EnvironmentError);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace samebits::gpu
