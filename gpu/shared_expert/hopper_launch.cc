// The launches of the sm_90a kernels.
#include <algorithm>
#include <string>
#include <utility>

#include "gpu/cuda/device.h"
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

/// Tokens from which on blocks of one gate half are kept apart.
constexpr int kApart = 32;
/// What two blocks that share a multiprocessor may have together.
constexpr int kTwoBlocks = 2 * kHalfSharedMemory;

/// Two blocks of different launches share a multiprocessor. Two of the same gate half would take
/// twice as long while other multiprocessors idle: more than half of the shared memory keeps them
/// apart.
bool KeptApart(const Config& config, const Derived& d) {
  return HopperBlocks(d.n) == 2 && d.n >= kApart &&
         config.variant != samebits::shared_expert::Variant::kFused &&
         d.grid <= CudaMultiprocessors();
}
/// Shared memory for a block of FUSED or a gate half. One that is kept apart takes what SharedDown
/// leaves, up to its whole span.
int SharedBytes(const Config& config, const Derived& d) {
  if (HopperBlocks(d.n) == 1) return kSharedMemoryLimit;
  if (!KeptApart(config, d)) return kHalfSharedMemory;
  const int span = HopperSharedBytes(d.n, std::min(d.blocks, kMaxStages));
  const int left = kTwoBlocks - HopperDownSharedBytes(d.n, d.down_blocks, d.down_blocks);
  return std::max(std::min(span, left), kHalfSharedMemory + 16);
}

/// Weights of SharedDown that are under way at once. Beside a gate half's block a block loads them
/// while the gate half runs; that pays where it then has most of what it needs.
int DownStages(const Config& config, const Derived& d, int blocks) {
  const int beside = HopperDownStages(config, kTwoBlocks - SharedBytes(config, d));
  const bool one_tile = blocks >= d.down_tiles;
  return one_tile && 2 * beside >= d.down_blocks ? std::min(beside, d.down_blocks)
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
  params.stages = HopperStages(config, SharedBytes(config, d));
  launch.shared_bytes = std::max(HopperSharedBytes(d.n, params.stages),
                                 KeptApart(config, d) ? kHalfSharedMemory + 16 : 0);
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
