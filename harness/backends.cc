#include "harness/backends.h"

#include <fmt/format.h>

#include <utility>

#include "harness/model_backend.h"
#include "harness/status.h"
#include "harness/suggest.h"

namespace samebits::harness {
namespace {

/// nullptr if the backend lacks the kernel.
const gpu::DeviceKernel* SelectKernel(const gpu::Backend& backend, const Kernel& kernel,
                                      std::string_view contract) {
  const gpu::DeviceKernel* first = nullptr;
  for (const gpu::DeviceKernel* candidate : backend.kernels()) {
    if (candidate->kernel() != kernel.name()) continue;
    if (candidate->contract() == contract) return candidate;
    if (first == nullptr) first = candidate;
  }
  return first;
}

}  // namespace

std::vector<std::string> BackendNames() {
  std::vector<std::string> names;
  for (const gpu::Backend* backend : gpu::Backends()) names.emplace_back(backend->name());
  names.emplace_back(kModelBackend);
  return names;
}

std::string BestBackend(const Kernel& kernel) {
  for (const gpu::Backend* backend : gpu::Backends()) {
    if (!backend->unavailable().empty()) continue;
    if (SelectKernel(*backend, kernel, {}) != nullptr) return std::string(backend->name());
  }
  return std::string(kModelBackend);
}

Target OpenBackend(const std::string& name, const Kernel& kernel, std::string_view contract) {
  for (const gpu::Backend* backend : gpu::Backends()) {
    if (backend->name() != name) continue;
    const std::string reason = backend->unavailable();
    if (!reason.empty()) {
      throw gpu::EnvironmentError(fmt::format("backend {} cannot run here: {}", name, reason));
    }
    const gpu::DeviceKernel* selected = SelectKernel(*backend, kernel, contract);
    if (selected == nullptr) {
      throw gpu::EnvironmentError(fmt::format("backend {} has no kernel {}", name, kernel.name()));
    }
    // The backend owns its kernels for the life of the program: the deleter has nothing to do.
    return {name,
            backend->Open(),
            {selected, [](const gpu::DeviceKernel*) {}},
            kernel.NamedContract(selected->contract())};
  }
  throw UsageError(UnknownName("backend", name, BackendNames()));
}

void ShareRanks(int count, Target* target) {
  if (target->kernel->ranked() == nullptr) {
    throw UsageError(
        fmt::format("--devices: {} on backend {} cannot share ranks among several devices",
                    target->kernel->kernel(), target->backend));
  }
  for (const gpu::Backend* backend : gpu::Backends()) {
    if (backend->name() != target->backend) continue;
    std::vector<std::unique_ptr<gpu::Device>> devices =
        backend->OpenDevices(count == kAllDevices ? backend->group().count : count);
    target->device = std::move(devices.front());
    devices.erase(devices.begin());
    target->others = std::move(devices);
  }
}

Target OpenModel(const Kernel& kernel, const Contract& contract, int threads) {
  return {std::string(kModelBackend), std::make_unique<HostDevice>(),
          std::make_shared<ModelKernel>(kernel, contract, threads), contract};
}

}  // namespace samebits::harness
