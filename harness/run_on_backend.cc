#include "harness/run_on_backend.h"

#include <memory>

namespace samebits::harness {
namespace {

using golden::MemoryImage;

/// Device memory that holds every block of an image.
class DeviceCopy {
 public:
  DeviceCopy(gpu::Device* device, const MemoryImage& image) : device_(device) {
    for (size_t a = 0; a < image.allocations(); ++a) {
      const auto bytes = static_cast<int64_t>(image.block(a).size());
      blocks_.push_back(device_->Allocate(bytes));
      device_->Upload(blocks_.back().get(), image.block(a).data(), bytes);
    }
  }

  /// Of the allocations, behind their guard zones.
  std::vector<void*> addresses() const {
    std::vector<void*> addresses;
    for (const std::shared_ptr<void>& block : blocks_) {
      addresses.push_back(static_cast<std::byte*>(block.get()) + MemoryImage::kGuardBytes);
    }
    return addresses;
  }

  void Download(MemoryImage* image) const {
    for (size_t a = 0; a < blocks_.size(); ++a) {
      device_->Download(image->block(a).data(), blocks_[a].get(),
                        static_cast<int64_t>(image->block(a).size()));
    }
  }

 private:
  gpu::Device* device_;
  std::vector<std::shared_ptr<void>> blocks_;
};

}  // namespace

RunResult RunOnBackend(const Kernel& kernel, const Target& target, const Settings& config,
                       const TensorSet& inputs, const gpu::LaunchOptions& options) {
  MemoryImage image(kernel.Plan(config, options.taps));
  for (const Tensor& input : inputs.tensors) image.Scatter(input);
  const DeviceCopy copy(target.device.get(), image);
  RunResult result;
  result.launch = target.kernel->Launch(config, options, copy.addresses());
  target.device->Synchronize();
  copy.Download(&image);
  result.tensors = image.GatherResults();
  result.trespasses = image.CheckUntouched(inputs);
  return result;
}

}  // namespace samebits::harness
