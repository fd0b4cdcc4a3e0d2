#include "gpu/kda_decode/instantiate.cuh"

template const void* samebits::gpu::kda_ws::KernelOf<2>(bool taps);
