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

/// nullptr: the model, or none of this build.
const gpu::Backend* FindBackend(std::string_view name) {
  for (const gpu::Backend* backend : gpu::Backends()) {
    if (backend->name() == name) return backend;
  }
  return nullptr;
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
  const gpu::Backend* backend = FindBackend(name);
  if (backend == nullptr) throw UsageError(UnknownName("backend", name, BackendNames()));
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

void ShareRanks(int count, Target* target) {
  const gpu::Backend* backend = FindBackend(target->backend);
  const bool all = count == kAllDevices;
  if (all) count = backend == nullptr ? 1 : backend->group().count;
  if (count == 1) return;
  if (backend == nullptr || target->kernel->ranked() == nullptr) {
    throw UsageError(fmt::format(
        "--devices: cases of {} on backend {} are not divided over devices: expected 1, got {}{}",
        target->kernel->kernel(), target->backend, all ? "all " : "", count));
  }
  std::vector<std::unique_ptr<gpu::Device>> devices = backend->OpenDevices(count);
  target->device = std::move(devices.front());
  devices.erase(devices.begin());
  target->others = std::move(devices);
}

Target OpenModel(const Kernel& kernel, const Contract& contract, int threads) {
  return {std::string(kModelBackend), std::make_unique<HostDevice>(),
          std::make_shared<ModelKernel>(kernel, contract, threads), contract};
}

}  // namespace samebits::harness
