// The backend "simt".
#ifndef SAMEBITS_GPU_SIMT_BACKEND_H_
#define SAMEBITS_GPU_SIMT_BACKEND_H_

#include "gpu/device_kernel.h"

namespace samebits::gpu {

/// The kernel sources, thread by thread on the CPU; runs everywhere.
const Backend* SimtBackend();

}  // namespace samebits::gpu

#endif  // SAMEBITS_GPU_SIMT_BACKEND_H_
