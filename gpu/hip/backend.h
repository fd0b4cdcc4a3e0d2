// The backend "hip".
#ifndef SAMEBITS_GPU_HIP_BACKEND_H_
#define SAMEBITS_GPU_HIP_BACKEND_H_

#include "gpu/device_kernel.h"

namespace samebits::gpu {

/// In every build; where it cannot run it says why.
const Backend* HipBackend();

}  // namespace samebits::gpu

#endif  // SAMEBITS_GPU_HIP_BACKEND_H_
