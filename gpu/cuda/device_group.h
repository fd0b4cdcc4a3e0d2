// The CUDA devices of this machine, together.
#ifndef SAMEBITS_GPU_CUDA_DEVICE_GROUP_H_
#define SAMEBITS_GPU_CUDA_DEVICE_GROUP_H_

#include <memory>
#include <vector>

#include "gpu/device_group.h"
#include "gpu/device_kernel.h"

namespace samebits::gpu {

/// Of every device, in the order of the runtime. Throws EnvironmentError.
std::vector<DeviceFacts> CudaDeviceFacts();

/// Devices 0 .. count - 1, with peer access from each to the others. Throws EnvironmentError with
/// GroupProblem's reason.
std::vector<std::unique_ptr<Device>> OpenCudaDevices(int count);

}  // namespace samebits::gpu

#endif  // SAMEBITS_GPU_CUDA_DEVICE_GROUP_H_
