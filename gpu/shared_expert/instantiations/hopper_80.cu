#include "gpu/shared_expert/instantiate_hopper.cuh"

template const void* samebits::gpu::shared_expert::HopperFusedKernelOf<80>(bool taps);
template const void* samebits::gpu::shared_expert::HopperGateKernelOf<80>(bool taps);
template const void* samebits::gpu::shared_expert::HopperDownKernelOf<80>(bool taps);
