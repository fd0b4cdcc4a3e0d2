#include "gpu/shared_expert/instantiate_blackwell.cuh"

template const void* samebits::gpu::shared_expert::BlackwellSharedKernelOf<104>(bool taps);
template const void* samebits::gpu::shared_expert::BlackwellFrontKernelOf<104>(bool taps);
template const void* samebits::gpu::shared_expert::BlackwellDownKernelOf<104>(bool taps);
