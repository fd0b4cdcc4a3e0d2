#include "gpu/simt/backend.h"

#include <array>

#include "gpu/kda_decode/simt.h"
#include "gpu/kda_pre/simt.h"
#include "gpu/shared_expert/simt.h"
#include "gpu/simt/device.h"

namespace samebits::gpu {
namespace {

class Simt : public Backend {
 public:
  std::string_view name() const override { return "simt"; }
  std::string unavailable() const override { return ""; }
  std::unique_ptr<Device> Open() const override { return simt::OpenSimtDevice(); }
  /// As many as are asked for.
  std::vector<std::unique_ptr<Device>> OpenDevices(int count) const override {
    std::vector<std::unique_ptr<Device>> devices;
    for (int d = 0; d < count; ++d) devices.push_back(Open());
    return devices;
  }
  std::span<const DeviceKernel* const> kernels() const override {
    static const std::array<const DeviceKernel*, 4> kernels = {
        &SimtKdaDecode(), &SimtKdaPre(kGfx950), &SimtKdaPre(kGfx942), &SimtSharedExpert()};
    return kernels;
  }
};

}  // namespace

const Backend* SimtBackend() {
  static const Simt backend;
  return &backend;
}

}  // namespace samebits::gpu
