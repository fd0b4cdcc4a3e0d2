// kda_pre for the backend "simt".
#ifndef SAMEBITS_GPU_KDA_PRE_SIMT_H_
#define SAMEBITS_GPU_KDA_PRE_SIMT_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <span>

#include "gpu/device_kernel.h"
#include "gpu/kda_pre/launch_plan.h"
#include "gpu/simt/launch.h"
#include "model/kda_pre/config.h"
#include "model/kernel.h"

namespace samebits::gpu {

/// Contracts "kda_pre.gfx950" and "kda_pre.gfx942": the kernel with exact special functions on
/// waves of 64 lanes, that target's matrix unit and its LDS. Launch runs all steps of the
/// configuration to their end and throws simt::Fault.
const DeviceKernel& SimtKdaPre(const AmdTarget& target);

namespace kda_pre {

/// Zeroed, as a launcher allocates it once.
class HostScratch {
 public:
  explicit HostScratch(const samebits::kda_pre::Config& config);
  void* data() const { return memory_.get(); }
  int64_t bytes() const { return layout_.bytes; }
  void SetEpoch(int64_t epoch);

 private:
  struct Free {
    void operator()(std::byte* p) const;
  };
  ScratchLayout layout_;
  std::unique_ptr<std::byte, Free> memory_;
};

/// A launch that is ready to run, any number of times. addresses[i]: allocation i of the plan.
struct HostLaunch {
  simt::LaunchShape shape;
  simt::Units units;
  simt::GlobalMemory memory;
  Params params{};
};
/// Throws ConfigError.
HostLaunch PrepareHostLaunch(const samebits::kda_pre::Config& config, const AmdTarget& target,
                             const MemoryPlan& plan, bool taps, const HostScratch& scratch,
                             std::span<void* const> addresses);
/// One step. `kernel`: what a GPU thread does.
void RunHostStep(const HostLaunch& launch, uint64_t schedule,
                 const std::function<void(const Params&)>& kernel);

}  // namespace kda_pre
}  // namespace samebits::gpu

#endif  // SAMEBITS_GPU_KDA_PRE_SIMT_H_
