// The current HIP device.
#ifndef SAMEBITS_GPU_HIP_DEVICE_H_
#define SAMEBITS_GPU_HIP_DEVICE_H_

#include <memory>

#include "gpu/device_kernel.h"

namespace samebits::gpu {

/// Throws EnvironmentError.
std::unique_ptr<Device> OpenHipDevice();

}  // namespace samebits::gpu

#endif  // SAMEBITS_GPU_HIP_DEVICE_H_
