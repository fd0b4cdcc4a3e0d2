// The launches of the sm_90a kernels.
#include <algorithm>
#include <string>

#include "gpu/cuda/device.h"
#include "gpu/shared_expert/hopper_layout.h"
#include "gpu/shared_expert/hopper_plan.h"
#include "gpu/shared_expert/kernels.h"
#include "gpu/shared_expert/prepared_launch.h"
#include "gpu/shared_expert/select_kernel.h"
#include "model/contract.h"
#include "model/shared_expert/derived.h"

namespace samebits::gpu::shared_expert {

using samebits::shared_expert::Config;
using samebits::shared_expert::Derive;
using samebits::shared_expert::Derived;
using samebits::shared_expert::kSharedMemoryLimit;
using samebits::shared_expert::Variant;

namespace {

template <int N>
struct HopperFusedOf {
  static const void* Of(bool taps) { return HopperFusedKernelOf<N>(taps); }
};
template <int N>
struct HopperGateOf {
  static const void* Of(bool taps) { return HopperGateKernelOf<N>(taps); }
};
template <int N>
struct HopperDownOf {
  static const void* Of(bool taps) { return HopperDownKernelOf<N>(taps); }
};

void Put(const Config& config, const StreamPlan& plan, Params* params) {
  if (plan.stages < kTogether) {
    throw ConfigError("shared_expert: batch: " + std::to_string(config.batch) +
                      " leaves no shared memory for weights (C5)");
  }
  params->stages = plan.stages;
  params->flight = plan.flight;
  params->runs = plan.runs;
  params->held = plan.held;
}

PreparedLaunch PrepareFused(const LaunchRequest& request) {
  const Derived d = Derive(request.config);
  const StreamPlan plan = PlanFused(request.config);
  Params params = request.params;
  Put(request.config, plan, &params);
  PreparedLaunch launch;
  launch.kernel = SelectKernel<HopperFusedOf>(d.n, request.taps);
  launch.threads = kHalfThreads;
  launch.shared_bytes = HopperFusedSharedBytes(d.n, plan.stages, plan.runs);
  launch.params = params;
  return launch;
}

/// Two blocks of a gate half on one multiprocessor would take twice as long while others idle.
/// Unless there are more of them than multiprocessors, more than half of the shared memory keeps
/// them apart.
PreparedLaunch PrepareGate(const LaunchRequest& request) {
  const Derived d = Derive(request.config);
  const bool apart = d.grid <= CudaMultiprocessors();
  const StreamPlan plan = PlanGate(request.config, GateSharedMemory(request.config, apart));
  Params params = request.params;
  Put(request.config, plan, &params);
  PreparedLaunch launch;
  launch.kernel = SelectKernel<HopperGateOf>(d.n, request.taps);
  launch.threads = kHalfThreads;
  launch.shared_bytes = std::max(HopperGateSharedBytes(d.n, plan.stages, plan.runs),
                                 apart ? kHalfSharedMemory + 16 : 0);
  launch.params = params;
  return launch;
}

}  // namespace

PreparedLaunch PrepareHopperShared(const LaunchRequest& request) {
  PreparedLaunch launch =
      request.config.variant == Variant::kFused ? PrepareFused(request) : PrepareGate(request);
  launch.blocks = Derive(request.config).grid;
  launch.overlap = request.overlap;
  AllowResources(launch);
  RequireResident(launch);
  return launch;
}

PreparedLaunch PrepareHopperDown(const LaunchRequest& request, int wanted) {
  const int blocks = DownThreadBlocks(request.config, wanted);
  const Derived d = Derive(request.config);
  Params params = request.params;
  PreparedLaunch launch;
  launch.kernel = SelectKernel<HopperDownOf>(d.n, request.taps);
  launch.blocks = blocks;
  launch.threads = kHalfThreads;
  launch.overlap = request.overlap;
  const StreamPlan plan = PlanDown(request.config, blocks, kSharedMemoryLimit);
  params.down_tiles = d.down_tiles;
  Put(request.config, plan, &params);
  launch.shared_bytes = HopperDownSharedBytes(d.n, plan.stages, plan.runs);
  launch.params = params;
  AllowResources(launch);
  return launch;
}

}  // namespace samebits::gpu::shared_expert
