#include "gpu/hip/backend.h"

#include <array>

#include "gpu/hip/code_objects.h"
#include "gpu/hip/device.h"
#include "gpu/hip/runtime.h"
#include "gpu/kda_pre/launcher.h"

namespace samebits::gpu {
namespace {

class Hip : public Backend {
 public:
  std::string_view name() const override { return "hip"; }

  std::string unavailable() const override {
    if (CodeObjects().empty()) return SAMEBITS_HIP_MISSING;
    const hip::Runtime* runtime = hip::FindRuntime();
    if (runtime == nullptr) return hip::Missing();
    int devices = 0;
    if (runtime->GetDeviceCount(&devices) != hip::kSuccess || devices == 0) {
      runtime->GetLastError();  // clears it
      return "no AMD device here";
    }
    if (!hip::DeviceTarget().empty()) return "";
    return "this build has code for " + CodeObjectTargets() + ", which the device does not run";
  }

  std::unique_ptr<Device> Open() const override {
    if (const std::string reason = unavailable(); !reason.empty()) throw EnvironmentError(reason);
    return OpenHipDevice();
  }

  std::span<const DeviceKernel* const> kernels() const override {
    static const std::array<const DeviceKernel*, 1> kernels = {&HipKdaPre()};
    return kernels;
  }
};

}  // namespace

const Backend* HipBackend() {
  static const Hip backend;
  return &backend;
}

}  // namespace samebits::gpu
