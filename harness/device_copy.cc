#include "harness/device_copy.h"

namespace samebits::harness {

using golden::MemoryImage;

DeviceCopy::DeviceCopy(gpu::Device* device, const MemoryImage& image) : device_(device) {
  for (size_t a = 0; a < image.allocations(); ++a) {
    const auto bytes = static_cast<int64_t>(image.block(a).size());
    blocks_.push_back(device_->Allocate(bytes));
    device_->Upload(blocks_.back().get(), image.block(a).data(), bytes);
  }
}

std::vector<void*> DeviceCopy::addresses() const {
  std::vector<void*> addresses;
  for (const std::shared_ptr<void>& block : blocks_) {
    addresses.push_back(static_cast<std::byte*>(block.get()) + MemoryImage::kGuardBytes);
  }
  return addresses;
}

void DeviceCopy::Download(MemoryImage* image) const {
  for (size_t a = 0; a < blocks_.size(); ++a) {
    device_->Download(image->block(a).data(), blocks_[a].get(),
                      static_cast<int64_t>(image->block(a).size()));
  }
}

}  // namespace samebits::harness
