#include "gpu/shared_expert/instantiate_hopper.cuh"

template const void* samebits::gpu::shared_expert::HopperFusedKernelOf<72>(bool taps);
template const void* samebits::gpu::shared_expert::HopperGateKernelOf<72>(bool taps);
template const void* samebits::gpu::shared_expert::HopperDownKernelOf<72>(bool taps);
