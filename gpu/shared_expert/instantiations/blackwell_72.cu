#include "gpu/shared_expert/instantiate_blackwell.cuh"

template const void* samebits::gpu::shared_expert::BlackwellSharedKernelOf<72>(bool taps);
template const void* samebits::gpu::shared_expert::BlackwellFrontKernelOf<72>(bool taps);
template const void* samebits::gpu::shared_expert::BlackwellDownKernelOf<72>(bool taps);
