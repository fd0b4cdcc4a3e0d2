// The memory of the machine that the executor pretends to be: this process's.
#ifndef SAMEBITS_GPU_SIMT_DEVICE_H_
#define SAMEBITS_GPU_SIMT_DEVICE_H_

#include <memory>

#include "gpu/device_kernel.h"

namespace samebits::gpu::simt {

/// Launches run to their end inside DeviceKernel::Launch, so Synchronize has nothing to wait for.
std::unique_ptr<Device> OpenSimtDevice();

}  // namespace samebits::gpu::simt

#endif  // SAMEBITS_GPU_SIMT_DEVICE_H_
