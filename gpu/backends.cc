#include <vector>

#include "gpu/cuda/backend.h"
#include "gpu/device_kernel.h"
#include "gpu/hip/backend.h"
#include "gpu/simt/backend.h"

namespace samebits::gpu {

std::span<const Backend* const> Backends() {
  static const std::vector<const Backend*> backends = [] {
    std::vector<const Backend*> built;
    for (const Backend* backend : {CudaBackend(), HipBackend(), SimtBackend()}) {
      if (backend != nullptr) built.push_back(backend);
    }
    return built;
  }();
  return backends;
}

}  // namespace samebits::gpu
