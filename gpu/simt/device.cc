#include "gpu/simt/device.h"

#include <cstdlib>
#include <cstring>

namespace samebits::gpu::simt {
namespace {

constexpr int64_t kAlignment = 256;

class SimtDevice : public Device {
 public:
  const DeviceInfo& info() const override { return info_; }

  std::shared_ptr<void> Allocate(int64_t bytes) override {
    const int64_t rounded = (bytes + kAlignment) / kAlignment * kAlignment;
    void* memory =
        std::aligned_alloc(static_cast<size_t>(kAlignment), static_cast<size_t>(rounded));
    if (!memory) {
      throw EnvironmentError("simt: no memory for " + std::to_string(bytes) + " bytes");
    }
    return {memory, std::free};
  }
  void Upload(void* device, const void* host, int64_t bytes) override {
    std::memcpy(device, host, static_cast<size_t>(bytes));
  }
  void Download(void* host, const void* device, int64_t bytes) override {
    std::memcpy(host, device, static_cast<size_t>(bytes));
  }
  void Synchronize() override {}

 private:
  DeviceInfo info_{"CPU, thread by thread", "host", "", ""};
};

}  // namespace

std::unique_ptr<Device> OpenSimtDevice() { return std::make_unique<SimtDevice>(); }

}  // namespace samebits::gpu::simt
