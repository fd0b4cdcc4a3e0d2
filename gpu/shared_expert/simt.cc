#include "gpu/shared_expert/simt.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "gpu/shared_expert/blackwell_layout.h"
#include "gpu/shared_expert/case_memory.h"
#include "gpu/shared_expert/hopper_layout.h"
#include "gpu/shared_expert/hopper_plan.h"
#include "gpu/shared_expert/host_kernel.h"
#include "gpu/shared_expert/placement.h"
#include "gpu/shared_expert/select_kernel.h"
#include "gpu/simt/tensor_map.h"
#include "model/profiles/matrix_units.h"
#include "model/profiles/special_functions_sm_90.h"
#include "model/shared_expert/axes.h"
#include "model/shared_expert/derived.h"
#include "model/shared_expert/kernel.h"

namespace samebits::gpu {
namespace shared_expert {

using samebits::shared_expert::Config;
using samebits::shared_expert::Derive;
using samebits::shared_expert::Derived;
using samebits::shared_expert::kSharedMemoryLimit;
using samebits::shared_expert::Variant;

namespace {

/// Stages of a ring, loads of weights under way, runs of rows and blocks of weights in registers on
/// the executor: few, so that every phase of every barrier and every way of a block occur in a
/// reduced geometry.
constexpr int kHostStages = 3;
constexpr int kHostFlight = 2;
constexpr int kHostRuns = 2;
constexpr int kHostHeld = 2;
/// Blocks of the consumer.
constexpr int kConsumerBlocks = 2;

const units::MatrixUnit& Unit(std::string_view name) {
  return profiles::FindMatrixUnit(name)->unit;
}

/// What no launch of a case writes, and may be read before the launch before has ended.
bool IsWeight(std::string_view name) {
  return name == "gate_up" || name == "down" || name == "front";
}

template <int N>
struct FusedOnHopper {
  static HostKernel Of(bool taps) { return HostHopperFused<N>(taps); }
};
template <int N>
struct GateOnHopper {
  static HostKernel Of(bool taps) { return HostHopperGate<N>(taps); }
};
template <int N>
struct DownOnHopper {
  static HostKernel Of(bool taps) { return HostHopperDown<N>(taps); }
};
template <int N>
struct SharedOnBlackwell {
  static HostKernel Of(bool taps) { return HostBlackwellShared<N>(taps); }
};
template <int N>
struct FrontOnBlackwell {
  static HostKernel Of(bool taps) { return HostBlackwellFront<N>(taps); }
};
template <int N>
struct DownOnBlackwell {
  static HostKernel Of(bool taps) { return HostBlackwellDown<N>(taps); }
};

class CaseRunner {
 public:
  CaseRunner(Target target, const Config& config, const MemoryPlan& plan,
             const LaunchOptions& options, std::span<const std::vector<void*>> addresses)
      : target_(target),
        c_(config),
        d_(Derive(config)),
        options_(options),
        case_memory_(config, options.taps, addresses) {
    units_.special = &profiles::Sm90SpecialFunctions();
    units_.wgmma = Unit("sm_90.wgmma");
    units_.tcgen05 = Unit("sm_100.tcgen05");
    for (size_t d = 0; d < addresses.size(); ++d) AddDevice(plan, addresses[d], d);
  }

  void Run() {
    case_memory_.Check(DownBlocks(c_, options_));
    for (int step = 0; step < c_.steps; ++step) {
      for (int index = 0; index < c_.ranks(); ++index) RunRank({step, index});
      if (c_.consumer) RunConsumer(step);
    }
  }

 private:
  static constexpr size_t kAlignment = 16;

  void AddDevice(const MemoryPlan& plan, std::span<void* const> addresses, size_t device) {
    const std::string where = device == 0 ? "" : " of device " + std::to_string(device);
    for (size_t i = 0; i < plan.allocations.size(); ++i) {
      const std::string& name = plan.allocations[i].name;
      memory_.Add(name + where, addresses[i], plan.allocations[i].bytes, IsWeight(name));
    }
    std::vector<Word4>& exchange =
        exchanges_.emplace_back(static_cast<size_t>(ExchangeSize(c_)) / sizeof(Word4) + kAlignment,
                                Word4{kEmpty, kEmpty, kEmpty, kEmpty});
    memory_.Add("exchange" + where, exchange.data(),
                static_cast<int64_t>(exchange.size() * sizeof(Word4)));
    *PlaceExchange(c_, exchange.data()).ticket = 0;
  }

  void RunRank(LaunchPoint point) {
    Params params = case_memory_.ParamsOf(point, simt::EncodeTensorMap);
    params.exchange = PlaceExchange(c_, exchanges_[case_memory_.device_of(point)].data());
    if (c_.has_front()) {
      params.front_multicast = {.peers = reinterpret_cast<std::byte* const*>(params.front_peers),
                                .count = c_.tp};
      params.has_multicast = true;
    }
    if (target_ == Target::kHopper) {
      RunHopper(params);
      return;
    }
    RunBlackwellShared(params);
    if (c_.variant == Variant::kFused) return;
    params.down_tiles = d_.down_tiles;
    RunBlackwellDown(params);
  }

  void RunHopper(const Params& params) {
    if (c_.variant == Variant::kFused) {
      RunHopperFused(params);
    } else {
      RunHopperHalves(params);
    }
  }
  void RunHopperFused(const Params& params) {
    const Params fused = WithPlan(params, PlanFused(c_));
    Launch({.blocks = d_.grid,
            .threads = kHalfThreads,
            .co_resident = true,
            .dependent = true,
            .shared_bytes = HopperFusedSharedBytes(d_.n, fused.stages, fused.runs),
            .registers = kHalfRegisters},
           SelectKernel<FusedOnHopper>(d_.n, options_.taps), fused);
  }
  /// Together, as launches with a programmatic dependency run.
  void RunHopperHalves(const Params& params) {
    const Params gate = WithPlan(params, PlanGate(c_, kSharedMemoryLimit));
    const int blocks = DownThreadBlocks(c_, DownBlocks(c_, options_));
    Params down = WithPlan(params, PlanDown(c_, blocks, kSharedMemoryLimit));
    down.down_tiles = d_.down_tiles;
    const HostKernel first = SelectKernel<GateOnHopper>(d_.n, options_.taps);
    const HostKernel second = SelectKernel<DownOnHopper>(d_.n, options_.taps);
    simt::LaunchTogether({{.blocks = d_.grid,
                           .threads = kHalfThreads,
                           .co_resident = true,
                           .dependent = true,
                           .shared_bytes = HopperGateSharedBytes(d_.n, gate.stages, gate.runs),
                           .registers = kHalfRegisters},
                          [&] { first(gate); }},
                         {{.blocks = blocks,
                           .threads = kHalfThreads,
                           .dependent = true,
                           .shared_bytes = HopperDownSharedBytes(d_.n, down.stages, down.runs),
                           .registers = kHalfRegisters},
                          [&] { second(down); }},
                         {.schedule = options_.schedule}, units_, memory_);
  }
  Params WithPlan(Params params, const StreamPlan& plan) const {
    params.stages = std::min(kHostStages, plan.stages);
    params.flight = std::min(kHostFlight, params.stages);
    // Fewer warps load rows than there are, or all of them.
    const int runs = kHostRuns + static_cast<int>(options_.schedule % 2);
    params.runs = std::min(runs, plan.runs);
    params.held = kHostHeld;
    return params;
  }
  void RunBlackwellShared(Params& params) {
    const bool front = c_.has_front();
    params.stages = std::min(kHostStages, d_.stages);
    Launch({.blocks = d_.grid,
            .threads = kBlackwellThreads,
            .cluster = d_.ks,
            .co_resident = c_.variant == Variant::kFused,
            .dependent = front,
            .shared_bytes =
                MakeBlackwellLayout(d_.n, params.stages, d_.ks, d_.owner_width, front).bytes},
           front ? SelectKernel<FrontOnBlackwell>(d_.n, options_.taps)
                 : SelectKernel<SharedOnBlackwell>(d_.n, options_.taps),
           params);
  }
  void RunBlackwellDown(Params& params) {
    params.stages = std::min(kHostStages, d_.down_stages);
    Launch({.blocks = DownBlocks(c_, options_),
            .threads = kBlackwellDownThreads,
            .shared_bytes = MakeBlackwellDownLayout(d_.n, params.stages, d_.down_blocks).bytes},
           SelectKernel<DownOnBlackwell>(d_.n, options_.taps), params);
  }
  void RunConsumer(int step) {
    const ConsumerParams params = case_memory_.ConsumerOf(step);
    simt::Launch({.blocks = kConsumerBlocks, .threads = kConsumerThreads},
                 {.schedule = options_.schedule}, units_, memory_, [&] { HostConsumer(params); });
  }

  void Launch(const simt::LaunchShape& shape, HostKernel kernel, const Params& params) {
    simt::Launch(shape, {.schedule = options_.schedule}, units_, memory_, [&] { kernel(params); });
  }

  Target target_;
  const Config& c_;
  Derived d_;
  LaunchOptions options_;
  CaseMemory case_memory_;
  std::vector<std::vector<Word4>> exchanges_;  // per device
  simt::Units units_;
  simt::GlobalMemory memory_;
};

LaunchInfo Describe(const Config& config, const LaunchOptions& options) {
  const std::string n = std::to_string(Derive(config).n);
  const std::string kernel =
      config.variant == Variant::kFused ? "HopperFused<HostLane, " : "HopperGate<HostLane, ";
  return {kernel + n + (options.taps ? ", true>" : ", false>"),
          "sha256:" SAMEBITS_SHARED_EXPERT_SOURCE_HASH};
}

/// Devices are pieces of the host's memory.
class SimtRanks : public PlacedRanks {
 public:
  LaunchInfo Launch(const Settings& settings, const LaunchOptions& options,
                    std::span<const std::vector<void*>> addresses) const override {
    const Config config = samebits::shared_expert::ReadConfig(settings);
    const MemoryPlan plan = samebits::shared_expert::GetKernel().Plan(settings, options.taps);
    RunCaseOnHost(Target::kHopper, config, plan, options, addresses);
    return Describe(config, options);
  }
};

class SimtKernel : public DeviceKernel {
 public:
  std::string_view kernel() const override { return "shared_expert"; }
  std::string_view contract() const override { return "shared_expert.sm_90"; }

  LaunchInfo Launch(const Settings& settings, const LaunchOptions& options,
                    std::span<void* const> addresses) const override {
    const std::vector<void*> device(addresses.begin(), addresses.end());
    return ranks_.Launch(settings, options, {&device, 1});
  }
  const RankedKernel* ranked() const override { return &ranks_; }

 private:
  SimtRanks ranks_;
};

}  // namespace

void RunCaseOnHost(Target target, const Config& config, const MemoryPlan& plan,
                   const LaunchOptions& options, std::span<const std::vector<void*>> addresses) {
  config.validate();
  CaseRunner(target, config, plan, options, addresses).Run();
}

}  // namespace shared_expert

const DeviceKernel& SimtSharedExpert() {
  static const shared_expert::SimtKernel kernel;
  return kernel;
}

}  // namespace samebits::gpu
