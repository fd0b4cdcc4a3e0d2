// A build without nvcc.
#include "gpu/probe/prober.h"

namespace samebits::gpu::probe {

std::unique_ptr<Prober> OpenCudaProber() {
  throw EnvironmentError("this build has no CUDA: it was configured without nvcc");
}

}  // namespace samebits::gpu::probe
