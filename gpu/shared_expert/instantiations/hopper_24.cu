#include "gpu/shared_expert/instantiate_hopper.cuh"

template const void* samebits::gpu::shared_expert::HopperFusedKernelOf<24>(bool taps);
template const void* samebits::gpu::shared_expert::HopperGateKernelOf<24>(bool taps);
template const void* samebits::gpu::shared_expert::HopperDownKernelOf<24>(bool taps);
