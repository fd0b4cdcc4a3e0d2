#include "gpu/shared_expert/instantiate_blackwell.cuh"

template const void* samebits::gpu::shared_expert::BlackwellSharedKernelOf<56>(bool taps);
template const void* samebits::gpu::shared_expert::BlackwellFrontKernelOf<56>(bool taps);
template const void* samebits::gpu::shared_expert::BlackwellDownKernelOf<56>(bool taps);
