// CudaBackend of a build without nvcc.
#include "gpu/cuda/backend.h"

namespace samebits::gpu {

const Backend* CudaBackend() { return nullptr; }

}  // namespace samebits::gpu
