// The launches of the sm_100a kernels (SPEC.md 2.4, 6.2).
#include <string>

#include "gpu/cuda/tensor_map.h"
#include "gpu/shared_expert/blackwell_layout.h"
#include "gpu/shared_expert/kernels.h"
#include "gpu/shared_expert/prepared_launch.h"
#include "gpu/shared_expert/select_kernel.h"
#include "model/contract.h"
#include "model/shared_expert/derived.h"

namespace samebits::gpu::shared_expert {

using samebits::shared_expert::Config;
using samebits::shared_expert::Derive;
using samebits::shared_expert::Derived;

namespace {

template <int N>
struct BlackwellSharedOf {
  static const void* Of(bool taps) { return BlackwellSharedKernelOf<N>(taps); }
};
template <int N>
struct BlackwellFrontOf {
  static const void* Of(bool taps) { return BlackwellFrontKernelOf<N>(taps); }
};
template <int N>
struct BlackwellDownOf {
  static const void* Of(bool taps) { return BlackwellDownKernelOf<N>(taps); }
};

}  // namespace

PreparedLaunch PrepareBlackwellShared(const LaunchRequest& request) {
  const Config& config = request.config;
  const Derived d = Derive(config);
  const bool front = config.has_front();
  PreparedLaunch launch;
  launch.kernel = front ? SelectKernel<BlackwellFrontOf>(d.n, request.taps)
                        : SelectKernel<BlackwellSharedOf>(d.n, request.taps);
  launch.blocks = d.grid;
  launch.threads = kBlackwellThreads;
  launch.cluster = d.ks;
  launch.overlap = request.overlap && front;
  Params params = request.params;
  params.stages = d.stages;
  launch.shared_bytes = MakeBlackwellLayout(d.n, d.stages, d.ks, d.owner_width, front).bytes;
  AllowResources(launch);
  if (request.params.down_tiles != 0) RequireResident(launch);
  launch.params = params;
  return launch;
}

PreparedLaunch PrepareBlackwellDown(const LaunchRequest& request, int blocks) {
  const Derived d = Derive(request.config);
  PreparedLaunch launch;
  launch.kernel = SelectKernel<BlackwellDownOf>(d.n, request.taps);
  launch.blocks = blocks;
  launch.threads = kBlackwellDownThreads;
  Params params = request.params;
  params.down_tiles = d.down_tiles;
  params.stages = d.down_stages;
  if (d.down_stages < 1) {
    throw ConfigError("shared_expert: batch: " + std::to_string(request.config.batch) +
                      " leaves SharedDown no shared memory for weights (C5)");
  }
  launch.shared_bytes = MakeBlackwellDownLayout(d.n, d.down_stages, d.down_blocks).bytes;
  launch.params = params;
  AllowResources(launch);
  return launch;
}

}  // namespace samebits::gpu::shared_expert
