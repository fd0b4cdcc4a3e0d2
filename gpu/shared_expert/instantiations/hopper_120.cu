#include "gpu/shared_expert/instantiate_hopper.cuh"

template const void* samebits::gpu::shared_expert::HopperSharedKernelOf<120>(bool taps);
template const void* samebits::gpu::shared_expert::HopperDownKernelOf<120>(bool taps);
