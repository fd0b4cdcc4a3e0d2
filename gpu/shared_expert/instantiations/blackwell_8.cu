#include "gpu/shared_expert/instantiate_blackwell.cuh"

template const void* samebits::gpu::shared_expert::BlackwellSharedKernelOf<8>(bool taps);
template const void* samebits::gpu::shared_expert::BlackwellFrontKernelOf<8>(bool taps);
template const void* samebits::gpu::shared_expert::BlackwellDownKernelOf<8>(bool taps);
