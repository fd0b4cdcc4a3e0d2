// A case whose ranks all devices of this machine share has the bits of the model: pushes cross from
// device to device. Skipped with fewer than two.
#include <boost/test/unit_test.hpp>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include "golden/inputs.h"
#include "golden/run_case.h"
#include "gpu/cuda/backend.h"
#include "harness/run_on_backend.h"
#include "harness/status.h"
#include "model/kernel.h"

namespace samebits::gpu {
namespace {

/// Why there is nothing to share; empty if there is.
std::string Missing() {
  const std::string reason = CudaBackend()->unavailable();
  if (!reason.empty()) return reason;
  const DeviceGroup group = CudaBackend()->group();
  return group.count < 2 ? "one device here, needs two" : group.problem;
}

struct SkipWithoutDevices {
  SkipWithoutDevices() {
    const std::string reason = Missing();
    if (reason.empty()) return;
    std::printf("skipped: %s\n", reason.c_str());
    std::exit(77);
  }
};
BOOST_TEST_GLOBAL_FIXTURE(SkipWithoutDevices);

Settings Reduced(const Kernel& kernel, const std::string& tp, const std::string& variant) {
  const bool eight = tp == "8";
  return kernel.Complete({{"tp", tp},
                          {"variant", variant},
                          {"batch", "17"},
                          {"steps", "8"},
                          {"consumer", "1"},
                          {"capacity", "19"},
                          {"width", eight ? "512" : "1024"},
                          {"intermediate", eight ? "512" : "1024"},
                          {"grid", eight ? "10" : "20"},
                          {"latent", eight ? "256" : "512"},
                          {"experts", eight ? "64" : "128"}});
}

void ExpectEqual(const Kernel& kernel, const harness::Target& target, const Settings& config) {
  const TensorSet inputs = golden::GenerateInputs({&kernel, config, "realistic", 11}, 4);
  const TensorSet expected =
      golden::RunModel(kernel, config, target.contract, true, inputs, 4).results;
  const harness::RunResult result =
      harness::RunOnBackend(kernel, target, config, inputs, {.taps = true});
  for (const Tensor& tensor : expected.tensors) {
    const Tensor& actual = result.tensors.At(tensor.spec.role, tensor.spec.name);
    BOOST_TEST((tensor.data == actual.data), tensor.spec.name);
  }
  for (const golden::Trespass& trespass : result.trespasses) BOOST_ERROR(trespass.where);
}

BOOST_AUTO_TEST_SUITE(shared_expert_on_devices)

BOOST_AUTO_TEST_CASE(ranks_on_two_devices_and_on_all) {
  const Kernel& kernel = *FindKernel("shared_expert");
  for (const int devices : {2, CudaBackend()->group().count}) {
    harness::Target target = harness::OpenBackend("cuda", kernel);
    harness::ShareRanks(devices, &target);
    for (const char* tp : {"8", "16"}) {
      for (const char* variant : {"fused", "split", "front"}) {
        BOOST_TEST_CONTEXT(variant << " of " << tp << " ranks on " << devices << " devices") {
          ExpectEqual(kernel, target, Reduced(kernel, tp, variant));
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(more_devices_than_there_are_are_refused) {
  const int count = CudaBackend()->group().count;
  BOOST_CHECK_EXCEPTION(CudaBackend()->OpenDevices(count + 1), EnvironmentError,
                        [count](const EnvironmentError& error) {
                          return std::string(error.what()) ==
                                 "CUDA: expected " + std::to_string(count + 1) +
                                     " devices, found " + std::to_string(count);
                        });
}

BOOST_AUTO_TEST_CASE(a_kernel_without_ranks_does_not_take_all) {
  harness::Target target = harness::OpenBackend("cuda", *FindKernel("kda_decode"));
  BOOST_CHECK_EXCEPTION(
      harness::ShareRanks(harness::kAllDevices, &target), harness::UsageError,
      [](const harness::UsageError& error) {
        return std::string(error.what()) ==
               "--devices: cases of kda_decode on backend cuda are not divided over devices: "
               "expected 1, got all " +
                   std::to_string(CudaBackend()->group().count);
      });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace samebits::gpu
