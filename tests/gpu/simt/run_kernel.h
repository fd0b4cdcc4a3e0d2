// Small kernels on the executor, for its own tests.
#ifndef SAMEBITS_TESTS_GPU_SIMT_RUN_KERNEL_H_
#define SAMEBITS_TESTS_GPU_SIMT_RUN_KERNEL_H_

#include <boost/test/unit_test.hpp>
#include <functional>
#include <optional>
#include <string>

#include "gpu/lane/host.h"
#include "gpu/simt/launch.h"
#include "model/profiles/special_functions_sm_90.h"

namespace samebits::gpu::simt {

inline constexpr int kSchedules = 32;

using Kernel = std::function<void(const HostLane& lane)>;

/// Units of sm_90.
inline Units TestUnits() { return {units::MatrixUnit{}, &profiles::Sm90SpecialFunctions()}; }

inline void RunKernel(const LaunchShape& shape, uint64_t schedule, const GlobalMemory& memory,
                      const Kernel& kernel) {
  Launch(shape, {.schedule = schedule}, TestUnits(), memory, [&] { kernel(HostLane()); });
}

/// The fault that the kernel meets under the schedule, if any.
inline std::optional<Fault> FaultOf(const LaunchShape& shape, uint64_t schedule,
                                    const GlobalMemory& memory, const Kernel& kernel) {
  try {
    RunKernel(shape, schedule, memory, kernel);
  } catch (const Fault& fault) {
    return fault;
  }
  return std::nullopt;
}

/// Expects a fault of that kind, whose text contains `text`, under every schedule.
inline void ExpectFault(const LaunchShape& shape, const GlobalMemory& memory, const Kernel& kernel,
                        FaultKind kind, const std::string& text) {
  for (uint64_t schedule = 0; schedule < kSchedules; ++schedule) {
    const std::optional<Fault> fault = FaultOf(shape, schedule, memory, kernel);
    BOOST_TEST_REQUIRE(fault.has_value(), "schedule " << schedule << ": no fault");
    BOOST_TEST_REQUIRE((fault->kind() == kind), "schedule " << schedule << ": " << fault->what());
    BOOST_TEST_REQUIRE(std::string(fault->what()).find(text) != std::string::npos,
                       "schedule " << schedule << ": " << fault->what());
  }
}

}  // namespace samebits::gpu::simt

#endif  // SAMEBITS_TESTS_GPU_SIMT_RUN_KERNEL_H_
