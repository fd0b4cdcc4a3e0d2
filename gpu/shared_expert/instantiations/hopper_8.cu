#include "gpu/shared_expert/instantiate_hopper.cuh"

template const void* samebits::gpu::shared_expert::HopperFusedKernelOf<8>(bool taps);
template const void* samebits::gpu::shared_expert::HopperGateKernelOf<8>(bool taps);
template const void* samebits::gpu::shared_expert::HopperDownKernelOf<8>(bool taps);
