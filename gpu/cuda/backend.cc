#include "gpu/cuda/backend.h"

#include <cuda_runtime_api.h>

#include <array>

#include "gpu/cuda/device.h"
#include "gpu/cuda/device_group.h"
#include "gpu/device_group.h"
#include "gpu/kda_decode/launcher.h"
#include "gpu/shared_expert/launcher.h"

namespace samebits::gpu {
namespace {

class Cuda : public Backend {
 public:
  std::string_view name() const override { return "cuda"; }

  std::string unavailable() const override {
    int devices = 0;
    const cudaError_t error = cudaGetDeviceCount(&devices);
    if (error != cudaSuccess) {
      cudaGetLastError();  // clears it
      // Without a driver the runtime answers that the driver is too old.
      if (error == cudaErrorInsufficientDriver || error == cudaErrorNoDevice) {
        return "no NVIDIA device or driver here";
      }
      return std::string("CUDA: ") + cudaGetErrorString(error);
    }
    if (devices == 0) return "no NVIDIA device or driver here";
    try {
      const int architecture = CudaArchitecture();
      // sm_90a and sm_100a code runs on exactly 9.0 and 10.0.
      if (architecture == 90 || architecture == 100) return "";
      return "this build has code for sm_90 and sm_100, the device is sm_" +
             std::to_string(architecture);
    } catch (const EnvironmentError& e) {
      return e.what();
    }
  }

  std::unique_ptr<Device> Open() const override {
    if (const std::string reason = unavailable(); !reason.empty()) throw EnvironmentError(reason);
    return OpenCudaDevice();
  }

  DeviceGroup group() const override {
    const std::vector<DeviceFacts> facts = CudaDeviceFacts();
    const int count = static_cast<int>(facts.size());
    return {count, GroupProblem(facts, count)};
  }

  std::vector<std::unique_ptr<Device>> OpenDevices(int count) const override {
    if (const std::string reason = unavailable(); !reason.empty()) throw EnvironmentError(reason);
    return OpenCudaDevices(count);
  }

  std::span<const DeviceKernel* const> kernels() const override {
    static const std::array<const DeviceKernel*, 2> kernels = {&CudaKdaDecode(),
                                                               &CudaSharedExpert()};
    return kernels;
  }
};

}  // namespace

const Backend* CudaBackend() {
  static const Cuda backend;
  return &backend;
}

}  // namespace samebits::gpu
