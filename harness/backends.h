// Which backends there are, and one opened for one kernel.
#ifndef SAMEBITS_HARNESS_BACKENDS_H_
#define SAMEBITS_HARNESS_BACKENDS_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/device_kernel.h"
#include "model/kernel.h"

namespace samebits::harness {

inline constexpr std::string_view kModelBackend = "model";

/// Every backend of this build, best first; the model is last and always there.
std::vector<std::string> BackendNames();

/// The first that can run the kernel here.
std::string BestBackend(const Kernel& kernel);

/// --devices: all that are here.
inline constexpr int kAllDevices = 0;

/// A device with a kernel on it, or several whose kernel has ranks (gpu::RankedKernel).
struct Target {
  std::string backend;
  std::unique_ptr<gpu::Device> device;
  std::shared_ptr<const gpu::DeviceKernel> kernel;
  Contract contract;                                      // what the kernel computes
  std::vector<std::unique_ptr<gpu::Device>> others = {};  // devices that share the ranks

  int devices() const { return 1 + static_cast<int>(others.size()); }
  gpu::Device* device_at(int d) const { return d == 0 ? device.get() : others[d - 1].get(); }
};

/// Throws UsageError for an unknown name, gpu::EnvironmentError for a backend that cannot run here
/// or lacks the kernel. Where it has several for different contracts, the one of `contract`, else
/// the first.
Target OpenBackend(const std::string& name, const Kernel& kernel, std::string_view contract = {});

/// Has the ranks of each case run on `count` devices (kAllDevices: all that are here). Throws
/// UsageError for several and a kernel without ranks, gpu::EnvironmentError if the devices cannot
/// share them.
void ShareRanks(int count, Target* target);

/// The model under any contract.
Target OpenModel(const Kernel& kernel, const Contract& contract, int threads);

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_BACKENDS_H_
