// A CUDA device behind the interface of gpu/device_kernel.h.
#ifndef SAMEBITS_GPU_CUDA_DEVICE_H_
#define SAMEBITS_GPU_CUDA_DEVICE_H_

#include <memory>

#include "gpu/device_kernel.h"

namespace samebits::gpu {

/// Compute capability of the current device: 90 for 9.0, 100 for 10.0. Throws EnvironmentError.
int CudaArchitecture();
/// Multiprocessors of the current device. Throws EnvironmentError.
int CudaMultiprocessors();
/// "sm_90" for 90; the family of 10.x is "sm_100".
std::string CudaArchitectureName(int architecture);

/// The current device. Copies are synchronous; launches go to its default stream.
std::unique_ptr<Device> OpenCudaDevice();

/// Makes a device the current one and the one before it again at the end. Throws EnvironmentError.
class DeviceScope {
 public:
  explicit DeviceScope(int device);
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  int before_ = 0;
};

}  // namespace samebits::gpu

#endif  // SAMEBITS_GPU_CUDA_DEVICE_H_
