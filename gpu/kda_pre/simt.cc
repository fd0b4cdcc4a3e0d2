#include "gpu/kda_pre/simt.h"

#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

#include "gpu/kda_pre/host_kernel.h"
#include "model/kda_pre/axes.h"
#include "model/kda_pre/plan.h"
#include "model/profiles/matrix_units.h"

namespace samebits::gpu {
namespace kda_pre {

// Instantiated in instantiations/.
extern template HostKernel HostKernelOf<1>(const AmdTarget& target, bool taps);
extern template HostKernel HostKernelOf<2>(const AmdTarget& target, bool taps);
extern template HostKernel HostKernelOf<3>(const AmdTarget& target, bool taps);
extern template HostKernel HostKernelOf<4>(const AmdTarget& target, bool taps);
extern template HostKernel HostKernelOf<5>(const AmdTarget& target, bool taps);
extern template HostKernel HostKernelOf<6>(const AmdTarget& target, bool taps);
extern template HostKernel HostKernelOf<7>(const AmdTarget& target, bool taps);
extern template HostKernel HostKernelOf<8>(const AmdTarget& target, bool taps);

namespace {

using samebits::kda_pre::Config;

// 131072 threads have stacks: a thread's frames take less than a tenth of this.
constexpr size_t kStackBytes = 32 << 10;

const units::MatrixUnit& MatrixUnitOf(const AmdTarget& target) {
  const char* name = target.mfma_k == kGfx950.mfma_k ? "gfx950.late_8" : "gfx942.mfma_16x16x16";
  return profiles::FindMatrixUnit(name)->unit;
}

HostKernel SelectKernel(const AmdTarget& target, int tokens, bool taps) {
  using Select = HostKernel (*)(const AmdTarget&, bool);
  static constexpr Select kKernels[kMaxTokens] = {HostKernelOf<1>, HostKernelOf<2>, HostKernelOf<3>,
                                                  HostKernelOf<4>, HostKernelOf<5>, HostKernelOf<6>,
                                                  HostKernelOf<7>, HostKernelOf<8>};
  return kKernels[tokens - 1](target, taps);
}

class SimtKernel : public DeviceKernel {
 public:
  explicit SimtKernel(const AmdTarget& target)
      : target_(target), contract_("kda_pre." + std::string(target.name)) {}

  std::string_view kernel() const override { return "kda_pre"; }
  std::string_view contract() const override { return contract_; }

  LaunchInfo Launch(const Settings& settings, const LaunchOptions& options,
                    std::span<void* const> addresses) const override {
    const Config config = samebits::kda_pre::ReadConfig(settings);
    const MemoryPlan plan = samebits::kda_pre::MakePlan(config, options.taps);
    HostScratch scratch(config);
    const HostLaunch launch =
        PrepareHostLaunch(config, target_, plan, options.taps, scratch, addresses);
    const HostKernel kernel = SelectKernel(target_, config.tokens, options.taps);
    for (int step = 0; step < config.steps; ++step) {
      scratch.SetEpoch(config.epoch + step);
      RunHostStep(launch, options.schedule + static_cast<uint64_t>(step), kernel);
    }
    return {"KdaPre<HostAmdLane<" + std::string(target_.name) + ">, " +
                std::to_string(config.tokens) + ", exact" + (options.taps ? ", taps>" : ">"),
            "sha256:" SAMEBITS_KDA_PRE_SOURCE_HASH};
  }

 private:
  const AmdTarget& target_;
  const std::string contract_;
};

}  // namespace

void HostScratch::Free::operator()(std::byte* p) const { std::free(p); }

HostScratch::HostScratch(const Config& config) : layout_(MakeScratchLayout(config)) {
  constexpr size_t kAlignment = 256;
  const size_t bytes = (static_cast<size_t>(layout_.bytes) + kAlignment) / kAlignment * kAlignment;
  memory_.reset(static_cast<std::byte*>(std::aligned_alloc(kAlignment, bytes)));
  if (!memory_) throw std::bad_alloc();
  std::memset(memory_.get(), 0, bytes);
}

void HostScratch::SetEpoch(int64_t epoch) {
  const auto value = static_cast<int32_t>(epoch);
  std::memcpy(memory_.get() + layout_.epoch, &value, sizeof(value));
}

HostLaunch PrepareHostLaunch(const Config& config, const AmdTarget& target, const MemoryPlan& plan,
                             bool taps, const HostScratch& scratch,
                             std::span<void* const> addresses) {
  config.validate();
  HostLaunch launch;
  launch.params =
      MakeParams(config, samebits::kda_pre::MakeOperands(config, addresses),
                 samebits::kda_pre::MakeTaps(config, taps, addresses), target, scratch.data(), -1);
  CheckLaunch(config, launch.params.operands, target);
  launch.shape = {.blocks = kBlocks,
                  .threads = kThreads,
                  .co_resident = true,
                  .shared_bytes = LaunchLdsBytes(config, target),
                  .warp_size = kWaveLanes};
  launch.units.matrix = MatrixUnitOf(target);
  for (size_t i = 0; i < plan.allocations.size(); ++i) {
    launch.memory.Add(plan.allocations[i].name, addresses[i], plan.allocations[i].bytes);
  }
  launch.memory.Add("scratch", scratch.data(), scratch.bytes());
  return launch;
}

void RunHostStep(const HostLaunch& launch, uint64_t schedule,
                 const std::function<void(const Params&)>& kernel) {
  simt::Launch(launch.shape, {.schedule = schedule, .stack_bytes = kStackBytes}, launch.units,
               launch.memory, [&] { kernel(launch.params); });
}

}  // namespace kda_pre

const DeviceKernel& SimtKdaPre(const AmdTarget& target) {
  static const kda_pre::SimtKernel gfx942(kGfx942), gfx950(kGfx950);
  return target.mfma_k == kGfx950.mfma_k ? gfx950 : gfx942;
}

}  // namespace samebits::gpu
