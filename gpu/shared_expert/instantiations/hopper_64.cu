#include "gpu/shared_expert/instantiate_hopper.cuh"

template const void* samebits::gpu::shared_expert::HopperFusedKernelOf<64>(bool taps);
template const void* samebits::gpu::shared_expert::HopperGateKernelOf<64>(bool taps);
template const void* samebits::gpu::shared_expert::HopperDownKernelOf<64>(bool taps);
