#include "gpu/shared_expert/instantiate_blackwell.cuh"

template const void* samebits::gpu::shared_expert::BlackwellSharedKernelOf<88>(bool taps);
template const void* samebits::gpu::shared_expert::BlackwellFrontKernelOf<88>(bool taps);
template const void* samebits::gpu::shared_expert::BlackwellDownKernelOf<88>(bool taps);
