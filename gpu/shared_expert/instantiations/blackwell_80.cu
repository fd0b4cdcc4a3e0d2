#include "gpu/shared_expert/instantiate_blackwell.cuh"

template const void* samebits::gpu::shared_expert::BlackwellSharedKernelOf<80>(bool taps);
template const void* samebits::gpu::shared_expert::BlackwellFrontKernelOf<80>(bool taps);
template const void* samebits::gpu::shared_expert::BlackwellDownKernelOf<80>(bool taps);
