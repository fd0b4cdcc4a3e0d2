// The CPU model as a backend: what verifies a file where there is no device, and what tests compare
// a deliberately changed contract with.
#ifndef SAMEBITS_HARNESS_MODEL_BACKEND_H_
#define SAMEBITS_HARNESS_MODEL_BACKEND_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "gpu/device_kernel.h"
#include "model/kernel.h"

namespace samebits::harness {

/// Host memory. Operations are done at once, so that Synchronize has nothing to wait for.
class HostDevice : public gpu::Device {
 public:
  HostDevice();
  const gpu::DeviceInfo& info() const override { return info_; }
  std::shared_ptr<void> Allocate(int64_t bytes) override;
  void Upload(void* device, const void* host, int64_t bytes) override;
  void Download(void* host, const void* device, int64_t bytes) override;
  void Synchronize() override {}

 private:
  gpu::DeviceInfo info_;
};

/// The model of `kernel` under `contract`, on up to `threads` threads.
class ModelKernel : public gpu::DeviceKernel {
 public:
  ModelKernel(const Kernel& kernel, Contract contract, int threads);
  std::string_view kernel() const override { return kernel_.name(); }
  std::string_view contract() const override { return contract_.name; }
  gpu::LaunchInfo Launch(const Settings& config, const gpu::LaunchOptions& options,
                         std::span<void* const> addresses) const override;

 private:
  const Kernel& kernel_;
  Contract contract_;
  int threads_;
};

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_MODEL_BACKEND_H_
