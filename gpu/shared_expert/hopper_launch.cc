// The launches of the sm_90a kernels.
#include <algorithm>
#include <string>
#include <utility>

#include "gpu/shared_expert/hopper_layout.h"
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

namespace {

/// Shared memory of a block where two share a multiprocessor.
constexpr int kHalfSharedMemory = 115712;

/// Weights of SharedDown that are under way at once. With half of a multiprocessor's shared memory
/// a block loads them while the gate half runs; that pays where it then has most of what it needs.
int DownStages(const Config& config, const Derived& d, int blocks) {
  const int half = HopperDownStages(config, kHalfSharedMemory);
  const bool one_tile = blocks >= d.down_tiles;
  return one_tile && 2 * half >= d.down_blocks ? std::min(half, d.down_blocks)
                                               : HopperDownStages(config, kSharedMemoryLimit);
}

template <int N>
struct HopperSharedOf {
  static const void* Of(bool taps) { return HopperSharedKernelOf<N>(taps); }
};
template <int N>
struct HopperDownOf {
  static const void* Of(bool taps) { return HopperDownKernelOf<N>(taps); }
};

}  // namespace

PreparedLaunch PrepareHopperShared(const LaunchRequest& request) {
  const Config& config = request.config;
  const Derived d = Derive(config);
  Params params = request.params;
  PreparedLaunch launch;
  launch.kernel = SelectKernel<HopperSharedOf>(d.n, request.taps);
  launch.blocks = d.grid;
  launch.threads = HopperThreads(d.n);
  launch.overlap = request.overlap;
  params.stages =
      HopperStages(config, HopperBlocks(d.n) == 2 ? kHalfSharedMemory : kSharedMemoryLimit);
  launch.shared_bytes = HopperSharedBytes(d.n, params.stages);
  AllowResources(launch);
  RequireResident(launch);
  launch.params = params;
  return launch;
}

PreparedLaunch PrepareHopperDown(const LaunchRequest& request, int blocks) {
  const Derived d = Derive(request.config);
  Params params = request.params;
  PreparedLaunch launch;
  launch.kernel = SelectKernel<HopperDownOf>(d.n, request.taps);
  launch.blocks = blocks;
  launch.threads = HopperThreads(d.n);
  launch.overlap = request.overlap;
  params.down_tiles = d.down_tiles;
  params.stages = DownStages(request.config, d, blocks);
  if (params.stages < 1) {
    throw ConfigError("shared_expert: batch: " + std::to_string(request.config.batch) +
                      " leaves SharedDown no shared memory for weights (C5)");
  }
  launch.shared_bytes = HopperDownSharedBytes(d.n, d.down_blocks, params.stages);
  launch.params = params;
  AllowResources(launch);
  return launch;
}

}  // namespace samebits::gpu::shared_expert
