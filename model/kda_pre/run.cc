#include "model/kda_pre/run.h"

#include <memory>
#include <vector>

#include "model/kda_pre/stages.h"
#include "model/parallel.h"

namespace samebits::kda_pre {
namespace {

/// SPEC.md 2.3.
Place Locate(const Operands& operands, int request, int head) {
  const int32_t* row = operands.st_idx + request * operands.st_idx_request;
  Place place = {.request = request, .head = head};
  place.offset = operands.num_acc[request] - 1;
  place.conv_slot = row[0];
  place.slot = row[place.offset];
  place.live = place.slot > 0;
  return place;
}

void RunStep(const Launch& launch) {
  Seam seam;
  ReadSources(launch, &seam);
  WeighSources(launch, &seam);
  MixSources(launch, &seam);
  Project(launch, &seam);
  const auto pairs = static_cast<int64_t>(launch.requests.size()) * kHeads;
  ParallelFor(pairs, launch.threads, [&](int64_t pair) {
    const Place place = Locate(launch.operands, static_cast<int>(launch.requests[pair / kHeads]),
                               static_cast<int>(pair % kHeads));
    const auto item = std::make_unique<Item>();
    Convolve(launch, seam, place, item.get());
    Gate(launch, seam, place, item.get());
    Normalise(launch, place, item.get());
    Recur(launch, place, item.get());
    Finish(launch, seam, place, *item);
  });
}

}  // namespace

void RunLaunch(const Config& config, const Choices& choices, const Operands& operands,
               const Taps& taps, int threads, Path path) {
  RunStages(config, choices, operands, taps, {}, {}, threads, path);
}

void RunStages(const Config& config, const Choices& choices, const Operands& operands,
               const Taps& taps, const Given& given, std::span<const int64_t> selected, int threads,
               Path path) {
  const Math math(choices, path);
  const Trees trees = MakeTrees(config, choices);
  std::vector<int64_t> requests(selected.begin(), selected.end()), rows;
  for (int r = 0; selected.empty() && r < config.requests; ++r) requests.push_back(r);
  for (const int64_t r : requests) {
    for (int t = 0; t < config.tokens; ++t) rows.push_back(r * config.tokens + t);
  }
  const Given nothing;  // taps and outputs are the last step's
  for (int step = 0; step < config.steps; ++step) {
    const bool last = step + 1 == config.steps;
    RunStep({config, choices, operands, taps, last ? given : nothing, math, trees, requests, rows,
             threads});
  }
}

}  // namespace samebits::kda_pre
