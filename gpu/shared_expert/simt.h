// shared_expert for the backend "simt".
#ifndef SAMEBITS_GPU_SHARED_EXPERT_SIMT_H_
#define SAMEBITS_GPU_SHARED_EXPERT_SIMT_H_

#include <span>
#include <vector>

#include "gpu/device_kernel.h"
#include "gpu/simt/launch.h"
#include "model/kernel.h"
#include "model/shared_expert/config.h"

namespace samebits::gpu {

/// The sm_90a kernels, contract "shared_expert.sm_90". Launch runs a case to its end and throws
/// simt::Fault. LaunchInfo::binary_hash is a hash of the kernels' sources.
const DeviceKernel& SimtSharedExpert();

namespace shared_expert {

/// Whose kernels run: the matrix unit and the structure.
enum class Target : uint8_t { kHopper, kBlackwell };

/// Every launch of a case. addresses[d][i]: allocation i of `plan` on device d (placement.h).
/// Throws ConfigError and simt::Fault.
void RunCaseOnHost(Target target, const samebits::shared_expert::Config& config,
                   const MemoryPlan& plan, const LaunchOptions& options,
                   std::span<const std::vector<void*>> addresses);

}  // namespace shared_expert
}  // namespace samebits::gpu

#endif  // SAMEBITS_GPU_SHARED_EXPERT_SIMT_H_
