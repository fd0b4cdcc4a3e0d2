#include "gpu/shared_expert/instantiate_blackwell.cuh"

template const void* samebits::gpu::shared_expert::BlackwellSharedKernelOf<24>(bool taps);
template const void* samebits::gpu::shared_expert::BlackwellFrontKernelOf<24>(bool taps);
template const void* samebits::gpu::shared_expert::BlackwellDownKernelOf<24>(bool taps);
