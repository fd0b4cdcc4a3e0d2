#include "harness/model_backend.h"

#include <cstdlib>
#include <cstring>
#include <utility>

#include "harness/version.h"

namespace samebits::harness {
namespace {

constexpr int64_t kAlignment = 256;  // as gpu/device_kernel.h promises

}  // namespace

HostDevice::HostDevice() {
  info_.name = "CPU model";
  info_.architecture = "host";
  info_.runtime = VersionText();
}

std::shared_ptr<void> HostDevice::Allocate(int64_t bytes) {
  const int64_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  void* memory = std::aligned_alloc(kAlignment, static_cast<size_t>(rounded));
  if (memory == nullptr) throw gpu::EnvironmentError("out of host memory");
  return {memory, std::free};
}

void HostDevice::Upload(void* device, const void* host, int64_t bytes) {
  std::memcpy(device, host, static_cast<size_t>(bytes));
}

void HostDevice::Download(void* host, const void* device, int64_t bytes) {
  std::memcpy(host, device, static_cast<size_t>(bytes));
}

ModelKernel::ModelKernel(const Kernel& kernel, Contract contract, int threads)
    : kernel_(kernel), contract_(std::move(contract)), threads_(threads) {}

gpu::LaunchInfo ModelKernel::Launch(const Settings& config, const gpu::LaunchOptions& options,
                                    std::span<void* const> addresses) const {
  kernel_.Run(config, contract_, options.taps, addresses, threads_);
  return {"model of " + std::string(kernel_.name()), Commit()};
}

}  // namespace samebits::harness
