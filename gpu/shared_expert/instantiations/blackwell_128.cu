#include "gpu/shared_expert/instantiate_blackwell.cuh"

template const void* samebits::gpu::shared_expert::BlackwellSharedKernelOf<128>(bool taps);
template const void* samebits::gpu::shared_expert::BlackwellFrontKernelOf<128>(bool taps);
template const void* samebits::gpu::shared_expert::BlackwellDownKernelOf<128>(bool taps);
