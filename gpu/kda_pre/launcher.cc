#include "gpu/kda_pre/launcher.h"

#include <fmt/format.h>

#include <array>
#include <memory>
#include <string>

#include "gpu/hip/code_objects.h"
#include "gpu/hip/runtime.h"
#include "gpu/kda_pre/launch_plan.h"
#include "model/kda_pre/axes.h"

namespace samebits::gpu {
namespace kda_pre {
namespace {

using hip::Check;
using hip::CopyKind;
using hip::Runtime;
using samebits::kda_pre::Config;

// A round takes about a microsecond: seconds, after which a step has failed.
constexpr int kPollRounds = 1 << 22;

const AmdTarget& CurrentTarget() {
  const bool gfx942 = hip::FindRuntime() != nullptr && hip::DeviceTarget() == kGfx942.name;
  return gfx942 ? kGfx942 : kGfx950;
}

/// Device memory, zeroed.
class Scratch {
 public:
  Scratch(const Runtime& hip, int64_t bytes) : hip_(hip) {
    Check(hip_.Malloc(&memory_, static_cast<size_t>(bytes)), "scratch memory");
    Check(hip_.Memset(memory_, 0, static_cast<size_t>(bytes)), "scratch memory");
  }
  ~Scratch() { hip_.Free(memory_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::byte* at(int64_t offset) const { return static_cast<std::byte*>(memory_) + offset; }

 private:
  const Runtime& hip_;
  void* memory_ = nullptr;
};

/// One kernel of a loaded code object.
class Kernel {
 public:
  Kernel(const Runtime& hip, const CodeObject& object, const std::string& symbol) : hip_(hip) {
    Check(hip_.ModuleLoadData(&module_, object.elf.data()), "code object");
    const hip::Error error = hip_.ModuleGetFunction(&function_, module_, symbol.c_str());
    if (error != hip::kSuccess) hip_.ModuleUnload(module_);
    Check(error, symbol);
  }
  ~Kernel() { hip_.ModuleUnload(module_); }
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  /// All blocks resident, or an error.
  void Run(const Params& params, int lds_bytes) const {
    void* arguments[] = {const_cast<Params*>(&params)};
    Check(hip_.ModuleLaunchCooperativeKernel(function_, kBlocks, 1, 1, kThreads, 1, 1,
                                             static_cast<unsigned>(lds_bytes), nullptr, arguments),
          "launch");
    Check(hip_.DeviceSynchronize(), "kernel");
  }

 private:
  const Runtime& hip_;
  void* module_ = nullptr;
  void* function_ = nullptr;
};

std::string_view NameOf(uint32_t stage) {
  static constexpr std::array<std::string_view, 10> kNames = {"none",
                                                              "partials of the slices",
                                                              "weights of the sources",
                                                              "partials of the mix",
                                                              "rows of x",
                                                              "in_proj of a channel",
                                                              "in_proj of f_a",
                                                              "q and k",
                                                              "in_proj of beta",
                                                              "partials of the output norm"};
  return kNames[stage < kNames.size() ? stage : 0];
}

void CheckAlarm(const Runtime& hip, const Scratch& scratch, int64_t offset) {
  Word2 alarm{};
  Check(hip.Memcpy(&alarm, scratch.at(offset), sizeof(alarm), CopyKind::kDeviceToHost), "alarm");
  if (alarm.x == 0) return;
  throw EnvironmentError(fmt::format("kda_pre: block {} waited in vain for {}; no result is valid",
                                     alarm.y, NameOf(alarm.x)));
}

class Launcher : public DeviceKernel {
 public:
  std::string_view kernel() const override { return "kda_pre"; }
  std::string_view contract() const override {
    return CurrentTarget().mfma_k == kGfx950.mfma_k ? "kda_pre.gfx950" : "kda_pre.gfx942";
  }

  LaunchInfo Launch(const Settings& settings, const LaunchOptions& options,
                    std::span<void* const> addresses) const override {
    const Runtime& hip = hip::GetRuntime();
    const Config config = samebits::kda_pre::ReadConfig(settings);
    const AmdTarget& target = CurrentTarget();
    const ScratchLayout layout = MakeScratchLayout(config);
    const Scratch scratch(hip, layout.bytes);
    const Params params = MakeParams(config, samebits::kda_pre::MakeOperands(config, addresses),
                                     samebits::kda_pre::MakeTaps(config, options.taps, addresses),
                                     target, scratch.at(0), kPollRounds);
    CheckLaunch(config, params.operands, target);
    const std::string name = fmt::format("kda_pre/tokens_{}", config.tokens);
    const CodeObject* object = FindCodeObject(target.name, name);
    if (object == nullptr) {
      throw EnvironmentError(fmt::format("kda_pre: no code object {} for {}", name, target.name));
    }
    const std::string symbol = options.taps ? "kda_pre_exact_taps" : "kda_pre_exact";
    const Kernel kernel(hip, *object, symbol);
    for (int step = 0; step < config.steps; ++step) {
      const auto epoch = static_cast<int32_t>(config.epoch + step);
      Check(hip.Memcpy(scratch.at(layout.epoch), &epoch, sizeof(epoch), CopyKind::kHostToDevice),
            "epoch");
      kernel.Run(params, LaunchLdsBytes(config, target));
      CheckAlarm(hip, scratch, layout.alarm);
    }
    return {symbol + " of " + name, HashOf(*object)};
  }
};

}  // namespace
}  // namespace kda_pre

const DeviceKernel& HipKdaPre() {
  static const kda_pre::Launcher launcher;
  return launcher;
}

}  // namespace samebits::gpu
