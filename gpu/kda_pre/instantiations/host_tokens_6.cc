#include "gpu/kda_pre/host_kernel.h"

template samebits::gpu::kda_pre::HostKernel samebits::gpu::kda_pre::HostKernelOf<6>(
    const AmdTarget& target, bool taps);
