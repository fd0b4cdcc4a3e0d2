#include "gpu/shared_expert/instantiate_hopper.cuh"

template const void* samebits::gpu::shared_expert::HopperFusedKernelOf<120>(bool taps);
template const void* samebits::gpu::shared_expert::HopperGateKernelOf<120>(bool taps);
template const void* samebits::gpu::shared_expert::HopperDownKernelOf<120>(bool taps);
