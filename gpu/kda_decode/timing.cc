#include "gpu/kda_decode/timing.h"

#include <algorithm>

#include "gpu/cuda/graph_timer.h"
#include "gpu/kda_decode/launcher.h"

namespace samebits::gpu::kda_ws {

LaunchTime TimeLaunches(const kda_decode::Config& config, const LaunchOptions& options,
                        std::span<const std::vector<void*>> sets, int launches, int replays) {
  if (sets.empty() || launches < 1 || replays < 1) {
    throw ConfigError("bench: needs an operand set, a launch and a replay at least");
  }
  std::vector<PreparedLaunch> prepared;
  for (const std::vector<void*>& set : sets)
    prepared.push_back(PrepareLaunch(config, options, set));
  std::vector<double> times = TimeGraph(
      [&](void* stream) {
        for (int i = 0; i < launches; ++i) Enqueue(prepared[i % prepared.size()], stream);
      },
      replays);
  for (double& time : times) time /= launches;
  return {.median = Median(times), .fastest = *std::min_element(times.begin(), times.end())};
}

}  // namespace samebits::gpu::kda_ws
