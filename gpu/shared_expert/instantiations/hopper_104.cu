#include "gpu/shared_expert/instantiate_hopper.cuh"

template const void* samebits::gpu::shared_expert::HopperFusedKernelOf<104>(bool taps);
template const void* samebits::gpu::shared_expert::HopperGateKernelOf<104>(bool taps);
template const void* samebits::gpu::shared_expert::HopperDownKernelOf<104>(bool taps);
