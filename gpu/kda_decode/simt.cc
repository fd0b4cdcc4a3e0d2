#include "gpu/kda_decode/simt.h"

#include <algorithm>
#include <string>

#include "gpu/kda_decode/preconditions.h"
#include "gpu/kda_decode/shared_layout.h"
#include "model/kda_decode/axes.h"
#include "model/kda_decode/kernel.h"
#include "model/profiles/special_functions_sm_90.h"

namespace samebits::gpu {
namespace kda_ws {

// Instantiated in instantiations/.
extern template HostKernel HostKernelOf<1>(bool taps);
extern template HostKernel HostKernelOf<2>(bool taps);
extern template HostKernel HostKernelOf<3>(bool taps);
extern template HostKernel HostKernelOf<4>(bool taps);
extern template HostKernel HostKernelOf<5>(bool taps);
extern template HostKernel HostKernelOf<6>(bool taps);
extern template HostKernel HostKernelOf<7>(bool taps);
extern template HostKernel HostKernelOf<8>(bool taps);

/// What the kernel reads before it waits for the grid before it (kernel.cuh).
static bool IsReadEarly(std::string_view name) {
  return name == "weights" || name == "bias" || name == "dt_bias" || name == "f_b" ||
         name == "a_log" || name == "slots" || name == "num_accepted";
}

HostLaunch PrepareHostLaunch(const kda_decode::Config& config, const MemoryPlan& plan, bool taps,
                             int ctas, std::span<void* const> addresses) {
  config.validate();
  HostLaunch launch;
  launch.params = MakeParams(config, kda_decode::MakeOperands(config, addresses),
                             kda_decode::MakeTaps(config, taps, addresses));
  const int blocks =
      ctas != 0 ? ctas : static_cast<int>(std::min<int64_t>(kHostMultiprocessors, config.items()));
  CheckLaunch(config, launch.params.operands, blocks);
  launch.shape.blocks = blocks;
  launch.shape.threads = kThreads;
  launch.shape.shared_bytes = PlaceExtras(config).total_bytes;
  launch.shape.dependent = true;
  launch.shape.registers = 65536 / kThreads;  // __launch_bounds__(kThreads, 1)
  // MatrixUnit's defaults are sm_90's.
  launch.units.special = &profiles::Sm90SpecialFunctions();
  for (size_t i = 0; i < plan.allocations.size(); ++i) {
    const std::string& name = plan.allocations[i].name;
    launch.memory.Add(name, addresses[i], plan.allocations[i].bytes, IsReadEarly(name));
  }
  return launch;
}

namespace {

HostKernel SelectKernel(int tokens, bool taps) {
  using Select = HostKernel (*)(bool);
  static constexpr Select kKernels[kda_decode::kMaxTokens] = {
      HostKernelOf<1>, HostKernelOf<2>, HostKernelOf<3>, HostKernelOf<4>,
      HostKernelOf<5>, HostKernelOf<6>, HostKernelOf<7>, HostKernelOf<8>};
  return kKernels[tokens - 1](taps);
}

class SimtKernel : public DeviceKernel {
 public:
  std::string_view kernel() const override { return "kda_decode"; }
  std::string_view contract() const override { return "kda_ws.sm_90"; }

  LaunchInfo Launch(const Settings& settings, const LaunchOptions& options,
                    std::span<void* const> addresses) const override {
    const kda_decode::Config config = kda_decode::ReadConfig(settings);
    const MemoryPlan plan = kda_decode::GetKernel().Plan(settings, options.taps);
    const HostLaunch launch =
        PrepareHostLaunch(config, plan, options.taps, options.ctas, addresses);
    const HostKernel kernel = SelectKernel(config.tokens, options.taps);
    simt::Launch(launch.shape, {.schedule = options.schedule}, launch.units, launch.memory,
                 [&] { kernel(launch.params); });
    return {"KdaDecode<HostLane, " + std::to_string(config.tokens) +
                (options.taps ? ", true>" : ", false>"),
            "sha256:" SAMEBITS_KDA_DECODE_SOURCE_HASH};
  }
};

}  // namespace
}  // namespace kda_ws

const DeviceKernel& SimtKdaDecode() {
  static const kda_ws::SimtKernel kernel;
  return kernel;
}

}  // namespace samebits::gpu
