#include "gpu/shared_expert/instantiate_hopper.cuh"

template const void* samebits::gpu::shared_expert::HopperFusedKernelOf<112>(bool taps);
template const void* samebits::gpu::shared_expert::HopperGateKernelOf<112>(bool taps);
template const void* samebits::gpu::shared_expert::HopperDownKernelOf<112>(bool taps);
