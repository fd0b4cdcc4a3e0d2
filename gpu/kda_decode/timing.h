// How long the kda_decode kernels take on the current CUDA device.
#ifndef SAMEBITS_GPU_KDA_DECODE_TIMING_H_
#define SAMEBITS_GPU_KDA_DECODE_TIMING_H_

#include <span>
#include <vector>

#include "gpu/device_kernel.h"
#include "model/kda_decode/config.h"

namespace samebits::gpu::kda_ws {

/// Microseconds per launch, over replays of a graph.
struct LaunchTime {
  double median = 0;
  double fastest = 0;
};

/// Replays a CUDA graph of `launches` launches `replays` times and times each replay with events.
/// Launch i uses operand set i % sets.size() (addresses as for DeviceKernel::Launch): with sets
/// that together are much larger than the L2 cache, operands come from device memory. One replay
/// before them is not timed. Throws ConfigError or EnvironmentError.
LaunchTime TimeLaunches(const kda_decode::Config& config, const LaunchOptions& options,
                        std::span<const std::vector<void*>> sets, int launches, int replays);

}  // namespace samebits::gpu::kda_ws

#endif  // SAMEBITS_GPU_KDA_DECODE_TIMING_H_
