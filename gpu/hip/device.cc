#include "gpu/hip/device.h"

#include <fmt/format.h>

#include "gpu/hip/runtime.h"

namespace samebits::gpu {
namespace {

using hip::Check;
using hip::CopyKind;
using hip::Runtime;

/// 60342134 -> "6.3.42134".
std::string VersionText(int version) {
  return fmt::format("{}.{}.{}", version / 10000000, version / 100000 % 100, version % 100000);
}

class HipDevice : public Device {
 public:
  HipDevice() : hip_(hip::GetRuntime()) {
    int device = 0, driver = 0, runtime = 0;
    char name[256] = "";
    Check(hip_.GetDevice(&device), "current device");
    Check(hip_.DeviceGetName(name, sizeof(name), device), "device name");
    Check(hip_.DriverGetVersion(&driver), "driver version");
    Check(hip_.RuntimeGetVersion(&runtime), "runtime version");
    info_ = {name, hip::DeviceTarget(), "HIP " + VersionText(driver),
             "HIP " + VersionText(runtime)};
  }

  const DeviceInfo& info() const override { return info_; }

  std::shared_ptr<void> Allocate(int64_t bytes) override {
    void* memory = nullptr;
    Check(hip_.Malloc(&memory, static_cast<size_t>(bytes > 0 ? bytes : 1)),
          fmt::format("allocating {} bytes", bytes));
    return {memory, [&hip = hip_](void* p) { hip.Free(p); }};
  }
  void Upload(void* device, const void* host, int64_t bytes) override {
    Check(hip_.Memcpy(device, host, static_cast<size_t>(bytes), CopyKind::kHostToDevice), "upload");
  }
  void Download(void* host, const void* device, int64_t bytes) override {
    Check(hip_.Memcpy(host, device, static_cast<size_t>(bytes), CopyKind::kDeviceToHost),
          "download");
  }
  void Synchronize() override { Check(hip_.DeviceSynchronize(), "kernel"); }

 private:
  const Runtime& hip_;
  DeviceInfo info_;
};

}  // namespace

std::unique_ptr<Device> OpenHipDevice() { return std::make_unique<HipDevice>(); }

}  // namespace samebits::gpu
