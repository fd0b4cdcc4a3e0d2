#include "gpu/shared_expert/instantiate_blackwell.cuh"

template const void* samebits::gpu::shared_expert::BlackwellSharedKernelOf<96>(bool taps);
template const void* samebits::gpu::shared_expert::BlackwellFrontKernelOf<96>(bool taps);
template const void* samebits::gpu::shared_expert::BlackwellDownKernelOf<96>(bool taps);
