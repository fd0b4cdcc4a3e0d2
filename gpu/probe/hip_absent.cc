// A build without the AMD compiler.
#include "gpu/probe/prober.h"

namespace samebits::gpu::probe {

std::unique_ptr<Prober> OpenHipProber() {
  throw EnvironmentError("this build has no HIP probe: it was configured without clang for AMD");
}

}  // namespace samebits::gpu::probe
