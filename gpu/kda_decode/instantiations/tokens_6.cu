#include "gpu/kda_decode/instantiate.cuh"

template const void* samebits::gpu::kda_ws::KernelOf<6>(bool taps);
