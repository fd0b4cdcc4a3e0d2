// How long the shared_expert kernels take on the current CUDA device.
#ifndef SAMEBITS_GPU_SHARED_EXPERT_TIMING_H_
#define SAMEBITS_GPU_SHARED_EXPERT_TIMING_H_

#include <span>
#include <vector>

#include "gpu/device_kernel.h"
#include "model/shared_expert/config.h"

namespace samebits::gpu::shared_expert {

/// Microseconds per case, over replays of a graph.
struct CaseTime {
  double median = 0;
  double fastest = 0;
};

/// Replays a CUDA graph of `cases` cases `replays` times and times each replay with events. Case i
/// uses operand set i % sets.size() (addresses as for DeviceKernel::Launch): with sets that
/// together are much larger than the L2 cache, weights come from device memory. `overlap`: launches
/// may start, and load weights, while the one before them ends. One replay before them is not
/// timed. Throws ConfigError or EnvironmentError.
CaseTime TimeCases(const samebits::shared_expert::Config& config, const LaunchOptions& options,
                   std::span<const std::vector<void*>> sets, int cases, int replays, bool overlap);

}  // namespace samebits::gpu::shared_expert

#endif  // SAMEBITS_GPU_SHARED_EXPERT_TIMING_H_
