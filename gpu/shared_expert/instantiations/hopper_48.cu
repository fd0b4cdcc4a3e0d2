#include "gpu/shared_expert/instantiate_hopper.cuh"

template const void* samebits::gpu::shared_expert::HopperFusedKernelOf<48>(bool taps);
template const void* samebits::gpu::shared_expert::HopperGateKernelOf<48>(bool taps);
template const void* samebits::gpu::shared_expert::HopperDownKernelOf<48>(bool taps);
