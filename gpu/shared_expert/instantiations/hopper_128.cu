#include "gpu/shared_expert/instantiate_hopper.cuh"

template const void* samebits::gpu::shared_expert::HopperFusedKernelOf<128>(bool taps);
template const void* samebits::gpu::shared_expert::HopperGateKernelOf<128>(bool taps);
template const void* samebits::gpu::shared_expert::HopperDownKernelOf<128>(bool taps);
