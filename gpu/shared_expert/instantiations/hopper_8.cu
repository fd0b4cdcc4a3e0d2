#include "gpu/shared_expert/instantiate_hopper.cuh"

template const void* samebits::gpu::shared_expert::HopperSharedKernelOf<8>(bool taps);
template const void* samebits::gpu::shared_expert::HopperDownKernelOf<8>(bool taps);
