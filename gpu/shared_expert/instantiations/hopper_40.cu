#include "gpu/shared_expert/instantiate_hopper.cuh"

template const void* samebits::gpu::shared_expert::HopperFusedKernelOf<40>(bool taps);
template const void* samebits::gpu::shared_expert::HopperGateKernelOf<40>(bool taps);
template const void* samebits::gpu::shared_expert::HopperDownKernelOf<40>(bool taps);
