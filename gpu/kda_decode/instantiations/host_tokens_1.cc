#include "gpu/kda_decode/host_kernel.h"

template samebits::gpu::kda_ws::HostKernel samebits::gpu::kda_ws::HostKernelOf<1>(bool taps);
