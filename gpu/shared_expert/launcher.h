// Launches the shared_expert kernels on the current CUDA device.
#ifndef SAMEBITS_GPU_SHARED_EXPERT_LAUNCHER_H_
#define SAMEBITS_GPU_SHARED_EXPERT_LAUNCHER_H_

#include <memory>
#include <span>
#include <vector>

#include "gpu/device_kernel.h"
#include "gpu/shared_expert/case_memory.h"
#include "gpu/shared_expert/prepared_launch.h"
#include "model/shared_expert/config.h"

namespace samebits::gpu {

/// Contract "shared_expert.sm_90" or "shared_expert.sm_100", by the current device. LaunchInfo:
/// `symbol` names the case's kernels, demangled, `binary_hash` has MachineCodeHash of each.
const DeviceKernel& CudaSharedExpert();

namespace shared_expert {

/// The exchange buffers of the sm_90a kernel, for launches of one shape in one stream.
std::shared_ptr<void> NewExchange(const samebits::shared_expert::Config& config);

/// All launches of a case, in order. Checks everything. `exchange`: of NewExchange for this
/// configuration. `overlap`: a launch may start, and load weights, while the two before it run, so
/// that no kernel of the stream may write weights that a later launch of the case reads. On sm_90
/// a gate half needs its SharedDown, which empties the exchange for the next gate half.
/// Throws ConfigError or EnvironmentError.
std::vector<PreparedLaunch> PrepareCase(const samebits::shared_expert::Config& config,
                                        const LaunchOptions& options,
                                        std::span<void* const> addresses, void* exchange,
                                        bool overlap);

/// What PrepareCase has for one (step, rank), on the current device: FUSED, or a gate half and its
/// SharedDown. Does not check the operands (CaseMemory::Check).
std::vector<PreparedLaunch> PrepareRank(const CaseMemory& memory, LaunchPoint point, void* exchange,
                                        const LaunchOptions& options, bool overlap);
/// The receiving side of all ranks.
PreparedLaunch PrepareConsumer(const CaseMemory& memory, int step);

/// What CudaSharedExpert says of launches.
LaunchInfo DescribeLaunches(std::span<const PreparedLaunch> launches);

}  // namespace shared_expert
}  // namespace samebits::gpu

#endif  // SAMEBITS_GPU_SHARED_EXPERT_LAUNCHER_H_
