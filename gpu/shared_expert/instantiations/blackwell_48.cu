#include "gpu/shared_expert/instantiate_blackwell.cuh"

template const void* samebits::gpu::shared_expert::BlackwellSharedKernelOf<48>(bool taps);
template const void* samebits::gpu::shared_expert::BlackwellFrontKernelOf<48>(bool taps);
template const void* samebits::gpu::shared_expert::BlackwellDownKernelOf<48>(bool taps);
