#include "gpu/shared_expert/instantiate_blackwell.cuh"

template const void* samebits::gpu::shared_expert::BlackwellSharedKernelOf<40>(bool taps);
template const void* samebits::gpu::shared_expert::BlackwellFrontKernelOf<40>(bool taps);
template const void* samebits::gpu::shared_expert::BlackwellDownKernelOf<40>(bool taps);
