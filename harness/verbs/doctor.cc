#include <fmt/format.h>
#include <fmt/ranges.h>
#include <xmmintrin.h>

#include <algorithm>

#include "gpu/device_kernel.h"
#include "harness/backends.h"
#include "harness/library_versions.h"
#include "harness/names.h"
#include "harness/report/json_writer.h"
#include "harness/status.h"
#include "harness/verbs/verbs.h"
#include "harness/version.h"
#include "model/kernel.h"

namespace samebits::harness {
namespace {

constexpr unsigned kCleanMxcsr = 0x1F80;  // round to nearest, no flush, all exceptions masked
constexpr unsigned kMxcsrModes = 0xFFC0;  // all but the sticky exception flags

struct BackendState {
  std::string name, reason;  // no reason: it can run
  std::vector<std::string> kernels, devices;
  gpu::DeviceGroup group;
};

/// "", "; 2 devices that reach each other's memory", "; 2 devices: device 0 cannot ..."
std::string GroupText(const gpu::DeviceGroup& group) {
  if (group.count == 1) return "";
  if (group.problem.empty()) {
    return fmt::format("; {} devices that reach each other's memory", group.count);
  }
  return fmt::format("; {} devices: {}", group.count, group.problem);
}

/// "NVIDIA H200 (sm_90), driver 580.95, runtime 13.0"; a device on the host has neither.
std::string DeviceText(const gpu::DeviceInfo& info) {
  std::string text = fmt::format("{} ({})", info.name, info.architecture);
  if (!info.driver.empty()) text += ", driver " + info.driver;
  if (!info.runtime.empty()) text += ", runtime " + info.runtime;
  return text;
}

BackendState StateOf(const gpu::Backend& backend) {
  BackendState state{std::string(backend.name()), backend.unavailable(), {}, {}, {}};
  for (const gpu::DeviceKernel* kernel : backend.kernels()) {
    // A kernel with several contracts stands there once.
    const std::string name(kernel->kernel());
    if (std::ranges::find(state.kernels, name) == state.kernels.end()) {
      state.kernels.push_back(name);
    }
  }
  if (!state.reason.empty()) return state;
  try {
    state.devices.push_back(DeviceText(backend.Open()->info()));
    state.group = backend.group();
  } catch (const gpu::EnvironmentError& error) {
    state.reason = error.what();
  }
  return state;
}

std::vector<BackendState> BackendStates() {
  std::vector<BackendState> states;
  for (const gpu::Backend* backend : gpu::Backends()) states.push_back(StateOf(*backend));
  BackendState model{std::string(kModelBackend), "", {}, {"this processor"}, {}};
  for (const Kernel* kernel : Kernels()) model.kernels.emplace_back(kernel->name());
  states.push_back(model);
  return states;
}

/// "" is the first kernel of `list`.
std::string BestOf(const std::string& name) {
  return BestBackend(name.empty() ? *Kernels().front() : KernelNamed(name));
}

void PrintText(unsigned mxcsr, bool clean, const std::vector<BackendState>& backends) {
  fmt::print("{}\n", VersionText());
  fmt::print("SIMD targets   {}\n", fmt::join(SimdTargets(), ", "));
  fmt::print(
      "MXCSR          0x{:04x} {}\n", mxcsr,
      clean ? "(round to nearest, no flushing)" : "(NOT CLEAN: rounding or flushing changed)");
  fmt::print("processors     {}\n", ThreadCount(0));
  fmt::print("nvcc at build  {}\n", NvccVersion().empty() ? "none" : NvccVersion());
  for (const auto& [library, version] : LibraryVersions()) {
    fmt::print("{:<14} {}\n", library, version);
  }
  for (const BackendState& b : backends) {
    const std::string state =
        b.reason.empty() ? fmt::format("{}{}", fmt::join(b.devices, "; "), GroupText(b.group))
                         : "missing: " + b.reason;
    fmt::print("backend {:<6} {} [{}]\n", b.name, state, fmt::join(b.kernels, ", "));
  }
}

void WriteJson(unsigned mxcsr, bool clean, const std::vector<BackendState>& backends,
               const std::string& best) {
  JsonWriter json(stdout, "doctor");
  json.Field("version", ToolVersion()).Field("commit", Commit());
  json.Strings("simd_targets", SimdTargets());
  json.Field("mxcsr", fmt::format("0x{:04x}", mxcsr)).Field("mxcsr_clean", clean);
  json.Field("processors", ThreadCount(0)).Field("nvcc", NvccVersion());
  json.Map("libraries", LibraryVersions()).Field("best_backend", best);
  json.Key("backends").BeginArray();
  for (const BackendState& b : backends) {
    json.BeginObject().Field("name", b.name).Field("available", b.reason.empty());
    json.Field("reason", b.reason).Strings("kernels", b.kernels).Strings("devices", b.devices);
    if (b.reason.empty()) {
      json.Field("device_count", b.group.count).Field("group_problem", b.group.problem);
    }
    json.End();
  }
}

}  // namespace

int Doctor(const DoctorOptions& options) {
  const std::string best = BestOf(options.kernel);
  if (options.best_backend) {
    fmt::print("{}\n", best);
    return kIdentical;
  }
  const unsigned mxcsr = _mm_getcsr();
  const bool clean = (mxcsr & kMxcsrModes) == kCleanMxcsr;
  const std::vector<BackendState> backends = BackendStates();
  if (options.json) {
    WriteJson(mxcsr, clean, backends, best);
  } else {
    PrintText(mxcsr, clean, backends);
  }
  return clean && !SimdTargets().empty() ? kIdentical : kEnvironment;
}

}  // namespace samebits::harness
