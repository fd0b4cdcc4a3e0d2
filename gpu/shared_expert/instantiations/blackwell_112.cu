#include "gpu/shared_expert/instantiate_blackwell.cuh"

template const void* samebits::gpu::shared_expert::BlackwellSharedKernelOf<112>(bool taps);
template const void* samebits::gpu::shared_expert::BlackwellFrontKernelOf<112>(bool taps);
template const void* samebits::gpu::shared_expert::BlackwellDownKernelOf<112>(bool taps);
