#include "gpu/shared_expert/instantiate_hopper.cuh"

template const void* samebits::gpu::shared_expert::HopperFusedKernelOf<56>(bool taps);
template const void* samebits::gpu::shared_expert::HopperGateKernelOf<56>(bool taps);
template const void* samebits::gpu::shared_expert::HopperDownKernelOf<56>(bool taps);
