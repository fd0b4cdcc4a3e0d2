#include "gpu/shared_expert/instantiate_hopper.cuh"

template const void* samebits::gpu::shared_expert::HopperFusedKernelOf<32>(bool taps);
template const void* samebits::gpu::shared_expert::HopperGateKernelOf<32>(bool taps);
template const void* samebits::gpu::shared_expert::HopperDownKernelOf<32>(bool taps);
