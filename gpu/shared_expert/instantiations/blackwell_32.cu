#include "gpu/shared_expert/instantiate_blackwell.cuh"

template const void* samebits::gpu::shared_expert::BlackwellSharedKernelOf<32>(bool taps);
template const void* samebits::gpu::shared_expert::BlackwellFrontKernelOf<32>(bool taps);
template const void* samebits::gpu::shared_expert::BlackwellDownKernelOf<32>(bool taps);
