#include "gpu/shared_expert/instantiate_hopper.cuh"

template const void* samebits::gpu::shared_expert::HopperFusedKernelOf<96>(bool taps);
template const void* samebits::gpu::shared_expert::HopperGateKernelOf<96>(bool taps);
template const void* samebits::gpu::shared_expert::HopperDownKernelOf<96>(bool taps);
