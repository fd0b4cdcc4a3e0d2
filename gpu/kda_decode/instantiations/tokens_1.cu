#include "gpu/kda_decode/instantiate.cuh"

template const void* samebits::gpu::kda_ws::KernelOf<1>(bool taps);
