#include "gpu/shared_expert/instantiate_blackwell.cuh"

template const void* samebits::gpu::shared_expert::BlackwellSharedKernelOf<16>(bool taps);
template const void* samebits::gpu::shared_expert::BlackwellFrontKernelOf<16>(bool taps);
template const void* samebits::gpu::shared_expert::BlackwellDownKernelOf<16>(bool taps);
