#include "gpu/shared_expert/instantiate_blackwell.cuh"

template const void* samebits::gpu::shared_expert::BlackwellSharedKernelOf<64>(bool taps);
template const void* samebits::gpu::shared_expert::BlackwellFrontKernelOf<64>(bool taps);
template const void* samebits::gpu::shared_expert::BlackwellDownKernelOf<64>(bool taps);
