// kda_decode for the backend "simt".
#ifndef SAMEBITS_GPU_KDA_DECODE_SIMT_H_
#define SAMEBITS_GPU_KDA_DECODE_SIMT_H_

#include <span>

#include "gpu/device_kernel.h"
#include "gpu/kda_decode/host_kernel.h"
#include "gpu/simt/launch.h"
#include "model/kda_decode/config.h"
#include "model/kernel.h"

namespace samebits::gpu {

/// Contract "kda_ws.sm_90". Launch runs the kernel to its end and throws simt::Fault.
/// LaunchInfo::binary_hash is a hash of the kernel's source.
const DeviceKernel& SimtKdaDecode();

namespace kda_ws {

/// The multiprocessors that the executor pretends to have: few, so that a block processes several
/// items and every barrier phase occurs.
inline constexpr int kHostMultiprocessors = 4;

/// A launch that is ready to run, any number of times. addresses[i]: allocation i of the plan.
struct HostLaunch {
  simt::LaunchShape shape;
  simt::Units units;
  simt::GlobalMemory memory;
  Params params{};
};
/// Throws ConfigError.
HostLaunch PrepareHostLaunch(const kda_decode::Config& config, const MemoryPlan& plan, bool taps,
                             int ctas, std::span<void* const> addresses);

}  // namespace kda_ws
}  // namespace samebits::gpu

#endif  // SAMEBITS_GPU_KDA_DECODE_SIMT_H_
