// The kernel on the device equals the model, byte for byte in all memory: outputs, taps, inputs,
// padding of rows, gaps between pages and guard zones. Skipped where there is no device.
#include <boost/test/unit_test.hpp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "golden/inputs.h"
#include "golden/memory_image.h"
#include "gpu/cuda/backend.h"
#include "model/kernel.h"
#include "tests/gpu/device_matrix.h"

namespace samebits::gpu {
namespace {

struct SkipWithoutDevice {
  SkipWithoutDevice() {
    const std::string reason = CudaBackend()->unavailable();
    if (reason.empty()) return;
    std::printf("skipped: %s\n", reason.c_str());
    std::exit(77);
  }
};
BOOST_TEST_GLOBAL_FIXTURE(SkipWithoutDevice);

/// The memory of a launch on the device, guard zones included.
class DeviceMemory {
 public:
  DeviceMemory(Device& device, golden::MemoryImage& image) : device_(device), image_(image) {
    for (size_t i = 0; i < image.allocations(); ++i) {
      const auto block = image.block(i);
      blocks_.push_back(device.Allocate(static_cast<int64_t>(block.size())));
      device.Upload(blocks_[i].get(), block.data(), static_cast<int64_t>(block.size()));
    }
  }
  std::vector<void*> addresses() const {
    std::vector<void*> addresses;
    for (const auto& block : blocks_) {
      addresses.push_back(static_cast<std::byte*>(block.get()) + golden::MemoryImage::kGuardBytes);
    }
    return addresses;
  }
  /// Back into the image.
  void Download() {
    for (size_t i = 0; i < blocks_.size(); ++i) {
      const auto block = image_.block(i);
      device_.Download(block.data(), blocks_[i].get(), static_cast<int64_t>(block.size()));
    }
  }

 private:
  Device& device_;
  golden::MemoryImage& image_;
  std::vector<std::shared_ptr<void>> blocks_;
};

/// The first result that differs, then any other byte.
std::string FirstDifference(const golden::MemoryImage& actual, const golden::MemoryImage& expected,
                            const TensorSet& inputs) {
  const TensorSet a = actual.GatherResults(), e = expected.GatherResults();
  for (size_t i = 0; i < a.tensors.size(); ++i) {
    const Tensor &x = a.tensors[i], &y = e.tensors[i];
    const size_t size = SizeOf(x.spec.dtype);
    size_t count = 0, first = 0;
    for (size_t at = 0; at < x.data.size(); at += size) {
      if (std::memcmp(x.data.data() + at, y.data.data() + at, size) == 0) continue;
      if (count++ == 0) first = at / size;
    }
    if (count == 0) continue;
    return x.spec.name + ": " + std::to_string(count) + " of " +
           std::to_string(x.data.size() / size) + " elements differ, first " +
           std::to_string(first);
  }
  for (const golden::Trespass& trespass : actual.CheckUntouched(inputs)) return trespass.where;
  for (size_t i = 0; i < actual.allocations(); ++i) {
    const auto x = actual.block(i), y = expected.block(i);
    if (std::memcmp(x.data(), y.data(), x.size()) != 0)
      return "a byte of allocation " + std::to_string(i);
  }
  return "";
}

std::string Describe(const DeviceCase& c) {
  std::string text = c.style + " seed=" + std::to_string(c.seed) +
                     " ctas=" + std::to_string(c.ctas) + (c.taps ? " taps" : "");
  for (const auto& [name, value] : c.config) text += " " + name + "=" + value;
  return text;
}

/// Model and device on the same inputs; "" if all bytes are equal.
std::string Compare(const Kernel& kernel, const DeviceKernel& device_kernel, Device& device,
                    const DeviceCase& c, int repetitions) {
  const Settings config = kernel.Complete(c.config);
  const MemoryPlan plan = kernel.Plan(config, c.taps);
  const TensorSet inputs = golden::GenerateInputs({&kernel, config, c.style, c.seed});
  golden::MemoryImage expected(plan);
  for (const Tensor& input : inputs.tensors) expected.Scatter(input);
  kernel.Run(config, kernel.NamedContract(device_kernel.contract()), c.taps, expected.addresses(),
             4);
  for (int i = 0; i < repetitions; ++i) {
    golden::MemoryImage actual(plan);
    for (const Tensor& input : inputs.tensors) actual.Scatter(input);
    DeviceMemory memory(device, actual);
    device_kernel.Launch(config, {.taps = c.taps, .ctas = c.ctas}, memory.addresses());
    device.Synchronize();
    memory.Download();
    if (const std::string text = FirstDifference(actual, expected, inputs); !text.empty()) {
      return text;
    }
  }
  return "";
}

BOOST_AUTO_TEST_SUITE(kda_decode_on_device)

BOOST_AUTO_TEST_CASE(matrix) {
  const Kernel& kernel = *FindKernel("kda_decode");
  const DeviceKernel& device_kernel = *CudaBackend()->kernels()[0];
  const std::unique_ptr<Device> device = CudaBackend()->Open();
  for (const DeviceCase& c : DeviceCases()) {
    BOOST_TEST_CONTEXT(Describe(c)) {
      BOOST_TEST(Compare(kernel, device_kernel, *device, c, 1) == "");
    }
  }
}

/// More items per block than operand blocks, so that every barrier wraps; again and again, so that
/// a race has chances.
BOOST_AUTO_TEST_CASE(repeated_launches_with_many_items_per_block) {
  const Kernel& kernel = *FindKernel("kda_decode");
  const DeviceKernel& device_kernel = *CudaBackend()->kernels()[0];
  const std::unique_ptr<Device> device = CudaBackend()->Open();
  for (const std::string tokens : {"1", "4", "8"}) {
    for (const std::string layout : {"sd", "ds"}) {
      DeviceCase c;
      c.config = {{"tokens", tokens}, {"conv_layout", layout}, {"requests", "11"},
                  {"heads", "12"},    {"window", "+1"},        {"padding", "alternate"},
                  {"rows", "packed"}, {"pages", "gapped"}};
      c.style = "realistic";
      c.seed = 77;
      for (const int ctas : {0, 9, 25}) {
        c.ctas = ctas;
        BOOST_TEST_CONTEXT(Describe(c)) {
          BOOST_TEST(Compare(kernel, device_kernel, *device, c, 10) == "");
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(launch_says_what_it_ran) {
  const Kernel& kernel = *FindKernel("kda_decode");
  const DeviceKernel& device_kernel = *CudaBackend()->kernels()[0];
  const std::unique_ptr<Device> device = CudaBackend()->Open();
  const Settings config = kernel.Complete({{"tokens", "2"}, {"requests", "1"}, {"heads", "1"}});
  golden::MemoryImage image(kernel.Plan(config, false));
  for (const Tensor& input : golden::GenerateInputs({&kernel, config}).tensors) {
    image.Scatter(input);
  }
  DeviceMemory memory(*device, image);
  const LaunchInfo info = device_kernel.Launch(config, {}, memory.addresses());
  device->Synchronize();
  BOOST_TEST_MESSAGE(device->info().name << ", driver " << device->info().driver << ": "
                                         << info.symbol << " " << info.binary_hash);
  BOOST_TEST(info.symbol.find("KdaDecodeKernel<2, false>") != std::string::npos);
  BOOST_TEST(info.binary_hash.starts_with("fnv1a:"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace samebits::gpu
