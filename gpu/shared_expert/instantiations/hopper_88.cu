#include "gpu/shared_expert/instantiate_hopper.cuh"

template const void* samebits::gpu::shared_expert::HopperFusedKernelOf<88>(bool taps);
template const void* samebits::gpu::shared_expert::HopperGateKernelOf<88>(bool taps);
template const void* samebits::gpu::shared_expert::HopperDownKernelOf<88>(bool taps);
