// A case whose ranks several devices share has the bits of the model, and a byte that a device
// changes outside its ranks' memory is found. The devices are the executor's.
#include "harness/run_on_devices.h"

#include <boost/test/unit_test.hpp>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "golden/inputs.h"
#include "golden/run_case.h"
#include "harness/status.h"

namespace samebits::harness {
namespace {

using Addresses = std::span<const std::vector<void*>>;

const Kernel& SharedExpert() { return *FindKernel("shared_expert"); }

Settings Reduced(Settings partial) {
  for (const auto& [axis, value] : Settings{{"tp", "8"},
                                            {"batch", "9"},
                                            {"width", "512"},
                                            {"intermediate", "512"},
                                            {"grid", "10"},
                                            {"latent", "256"},
                                            {"experts", "64"}}) {
    partial.emplace(axis, value);
  }
  return SharedExpert().Complete(partial);
}

/// The kernel of another backend, and what `defect` does to the devices' memory after it.
class Defective : public gpu::DeviceKernel, public gpu::RankedKernel {
 public:
  using Defect = std::function<void(Addresses)>;
  Defective(const gpu::DeviceKernel& kernel, Defect defect)
      : kernel_(kernel), defect_(std::move(defect)) {}
  std::string_view kernel() const override { return kernel_.kernel(); }
  std::string_view contract() const override { return kernel_.contract(); }
  const gpu::RankedKernel* ranked() const override { return this; }
  gpu::LaunchInfo Launch(const Settings&, const gpu::LaunchOptions&,
                         std::span<void* const>) const override {
    throw std::logic_error("expected a launch on several devices");
  }
  std::string_view rank_axis() const override { return kernel_.ranked()->rank_axis(); }
  std::vector<gpu::RankSlice> Placement(const Settings& config, bool taps,
                                        int devices) const override {
    return kernel_.ranked()->Placement(config, taps, devices);
  }
  gpu::LaunchInfo Launch(const Settings& config, const gpu::LaunchOptions& options,
                         Addresses addresses) const override {
    gpu::LaunchInfo info = kernel_.ranked()->Launch(config, options, addresses);
    defect_(addresses);
    return info;
  }

 private:
  const gpu::DeviceKernel& kernel_;
  Defect defect_;
};

struct Ran {
  TensorSet expected;
  RunResult result;

  /// The first tensor that differs; "" if there is none.
  std::string difference() const {
    for (const Tensor& tensor : expected.tensors) {
      if (tensor.data != result.tensors.At(tensor.spec.role, tensor.spec.name).data) {
        return tensor.spec.name;
      }
    }
    return "";
  }
  std::string trespasses() const {
    std::string text;
    for (const golden::Trespass& t : result.trespasses) {
      text += t.where + "@" + std::to_string(t.offset) + "+" + std::to_string(t.bytes) + ";";
    }
    return text;
  }
};

Ran Run(const Settings& config, int devices, bool taps, const Defective::Defect& defect = {}) {
  const Kernel& kernel = SharedExpert();
  Target target = OpenBackend("simt", kernel);
  ShareRanks(devices, &target);
  if (defect) target.kernel = std::make_shared<Defective>(*target.kernel, defect);
  const TensorSet inputs = golden::GenerateInputs({&kernel, config, "realistic", 5}, 2);
  Ran ran;
  ran.expected = golden::RunModel(kernel, config, target.contract, taps, inputs, 2).results;
  ran.result = RunOnBackend(kernel, target, config, inputs, {.taps = taps});
  BOOST_TEST(ran.result.tensors.tensors.size() == ran.expected.tensors.size());
  return ran;
}

/// Allocation `name` of a device.
uint8_t* At(Addresses addresses, const Settings& config, int device, const std::string& name) {
  const MemoryPlan plan = SharedExpert().Plan(config, false);
  for (size_t a = 0; a < plan.allocations.size(); ++a) {
    if (plan.allocations[a].name == name) return static_cast<uint8_t*>(addresses[device][a]);
  }
  throw std::logic_error(name);
}

BOOST_AUTO_TEST_SUITE(run_on_devices)

BOOST_AUTO_TEST_CASE(the_bits_are_the_model_s) {
  for (const char* variant : {"fused", "split", "front"}) {
    for (const int devices : {2, 3}) {
      BOOST_TEST_CONTEXT(variant << " on " << devices) {
        const Settings config =
            Reduced({{"variant", variant}, {"steps", "3"}, {"consumer", "1"}, {"capacity", "11"}});
        const Ran ran = Run(config, devices, devices == 2);
        BOOST_TEST(ran.difference() == "");
        BOOST_TEST(ran.trespasses() == "");
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(one_rank_pushes_to_peers_on_all_devices) {
  for (const char* rank : {"0", "3"}) {
    const Ran ran = Run(Reduced({{"variant", "front"}, {"rank", rank}}), 2, true);
    BOOST_TEST(ran.difference() == "");
    BOOST_TEST(ran.trespasses() == "");
  }
}

/// Changes byte `offset` of allocation `name` on `device` after the launch.
Ran RunWithChangedByte(int device, const std::string& name, int64_t offset) {
  const Settings config = Reduced({{"steps", "2"}, {"consumer", "1"}});
  return Run(config, 2, false,
             [&](Addresses addresses) { At(addresses, config, device, name)[offset] ^= 1; });
}

BOOST_AUTO_TEST_CASE(a_device_s_own_ranks_are_what_is_compared) {
  const int64_t h_of_rank_1 = 2 * 9 * 64;
  BOOST_TEST(RunWithChangedByte(1, "h", h_of_rank_1).difference() == "h");
  BOOST_TEST(RunWithChangedByte(1, "h", h_of_rank_1).trespasses() == "");
  BOOST_TEST(RunWithChangedByte(0, "reduced", 6).difference() == "reduced");
}

BOOST_AUTO_TEST_CASE(changes_outside_them_are_trespasses) {
  const auto found = [](int device, const std::string& name, int64_t offset) {
    const Ran ran = RunWithChangedByte(device, name, offset);
    BOOST_TEST(ran.difference() == "");
    return ran.trespasses();
  };
  BOOST_TEST(found(0, "h", 2 * 9 * 64) == "device 0: h outside its slices@1152+1;");
  BOOST_TEST(found(1, "mailbox", 4) == "device 1: mailbox outside its slices@4+1;");
  BOOST_TEST(found(1, "reduced", 0) == "device 1: reduced outside its slices@0+1;");
  BOOST_TEST(found(1, "mailbox", -3) == "device 1: mailbox outside its slices@-3+1;");
  BOOST_TEST(found(1, "x", 8) == "device 1: x@8+1;");
  BOOST_TEST(found(0, "x", -1) == "device 0: x@-1+1;");
  BOOST_TEST(found(0, "down", 2) == "input down@2+1;");
  // Behind the first mailbox: [2 parities][8 sources][128 tokens][64 columns] of 2 bytes.
  BOOST_TEST(found(0, "mailbox", 262144) == "gaps of mailbox@262144+1;");
}

BOOST_AUTO_TEST_CASE(a_kernel_without_ranks_is_refused) {
  const Kernel& kernel = *FindKernel("kda_decode");
  Target target = OpenBackend("simt", kernel);
  BOOST_CHECK_EXCEPTION(ShareRanks(2, &target), UsageError, [](const UsageError& error) {
    return std::string(error.what()) ==
           "--devices: cases of kda_decode on backend simt are not divided over devices: "
           "expected 1, got 2";
  });
  ShareRanks(kAllDevices, &target);
  BOOST_TEST(target.devices() == 1);
}

BOOST_AUTO_TEST_CASE(all_devices_of_the_executor_are_one) {
  Target target = OpenBackend("simt", SharedExpert());
  ShareRanks(kAllDevices, &target);
  BOOST_TEST(target.devices() == 1);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace samebits::harness
