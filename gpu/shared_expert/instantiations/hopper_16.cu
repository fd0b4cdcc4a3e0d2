#include "gpu/shared_expert/instantiate_hopper.cuh"

template const void* samebits::gpu::shared_expert::HopperFusedKernelOf<16>(bool taps);
template const void* samebits::gpu::shared_expert::HopperGateKernelOf<16>(bool taps);
template const void* samebits::gpu::shared_expert::HopperDownKernelOf<16>(bool taps);
