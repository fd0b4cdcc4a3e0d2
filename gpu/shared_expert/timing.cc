#include "gpu/shared_expert/timing.h"

#include <algorithm>
#include <memory>

#include "gpu/cuda/graph_timer.h"
#include "gpu/shared_expert/launcher.h"

namespace samebits::gpu::shared_expert {

CaseTime TimeCases(const samebits::shared_expert::Config& config, const LaunchOptions& options,
                   std::span<const std::vector<void*>> sets, int cases, int replays, bool overlap) {
  if (sets.empty() || cases < 1 || replays < 1) {
    throw ConfigError("bench: needs an operand set, a case and a replay at least");
  }
  const std::shared_ptr<void> exchange = NewExchange(config);
  std::vector<std::vector<PreparedLaunch>> prepared;
  for (const std::vector<void*>& set : sets) {
    prepared.push_back(PrepareCase(config, options, set, exchange.get(), overlap));
  }
  std::vector<double> times = TimeGraph(
      [&](void* stream) {
        for (int i = 0; i < cases; ++i) {
          for (const PreparedLaunch& launch : prepared[i % prepared.size()]) {
            Enqueue(launch, stream);
          }
        }
      },
      replays);
  for (double& time : times) time /= cases;
  return {.median = Median(times), .fastest = *std::min_element(times.begin(), times.end())};
}

}  // namespace samebits::gpu::shared_expert
