// Launches the kda_pre kernels on the current HIP device.
#ifndef SAMEBITS_GPU_KDA_PRE_LAUNCHER_H_
#define SAMEBITS_GPU_KDA_PRE_LAUNCHER_H_

#include "gpu/device_kernel.h"

namespace samebits::gpu {

/// Contract "kda_pre.gfx942" or "kda_pre.gfx950", by the current device: the kernels with exact
/// special functions. A launch runs all steps of the configuration on scratch memory of its own and
/// waits for them; where a wait between blocks gave up it throws EnvironmentError that names the
/// stage. LaunchInfo: `binary_hash` is of the code object.
const DeviceKernel& HipKdaPre();

}  // namespace samebits::gpu

#endif  // SAMEBITS_GPU_KDA_PRE_LAUNCHER_H_
