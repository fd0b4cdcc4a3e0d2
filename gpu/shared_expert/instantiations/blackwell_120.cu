#include "gpu/shared_expert/instantiate_blackwell.cuh"

template const void* samebits::gpu::shared_expert::BlackwellSharedKernelOf<120>(bool taps);
template const void* samebits::gpu::shared_expert::BlackwellFrontKernelOf<120>(bool taps);
template const void* samebits::gpu::shared_expert::BlackwellDownKernelOf<120>(bool taps);
