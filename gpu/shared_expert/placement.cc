#include "gpu/shared_expert/placement.h"

#include <algorithm>
#include <string>

#include "model/shared_expert/axes.h"
#include "model/shared_expert/config.h"
#include "model/shared_expert/plan.h"

namespace samebits::gpu::shared_expert {

using samebits::shared_expert::Config;

namespace {

/// The place of "rank" or "peer" among an operand's dimensions; their number without either.
size_t RankDimension(const TensorSpec& spec) {
  const auto at = std::ranges::find_if(
      spec.dims, [](const std::string& dim) { return dim == "rank" || dim == "peer"; });
  return static_cast<size_t>(at - spec.dims.begin());
}

/// One slice per rank and index of the dimension (a tap's step) before it.
void AddRanks(const Config& config, const Operand& operand, int devices,
              std::vector<RankSlice>* slices) {
  const size_t k = RankDimension(operand.spec);
  const bool peers = operand.spec.dims[k] == "peer";
  const int64_t outer = k == 0 ? 1 : operand.spec.shape[0];
  const int64_t outer_stride = k == 0 ? 0 : operand.strides[0];
  for (int64_t o = 0; o < outer; ++o) {
    for (int i = 0; i < operand.spec.shape[k]; ++i) {
      slices->push_back({.allocation = operand.allocation,
                         .offset = o * outer_stride + i * operand.strides[k],
                         .bytes = operand.strides[k],
                         .device = DeviceOf(peers ? i : config.rank_of(i), devices)});
    }
  }
}

}  // namespace

std::vector<RankSlice> PlaceCase(const Settings& settings, bool taps, int devices) {
  const Config config = samebits::shared_expert::ReadConfig(settings);
  const MemoryPlan plan = samebits::shared_expert::MakePlan(config, taps);
  std::vector<RankSlice> slices;
  std::vector<bool> placed(plan.allocations.size(), false);
  for (const Operand& operand : plan.operands) {
    const auto a = static_cast<size_t>(operand.allocation);
    if (placed[a]) continue;  // the second part of the front mailboxes' rows
    placed[a] = true;
    if (RankDimension(operand.spec) < operand.spec.dims.size()) {
      AddRanks(config, operand, devices, &slices);
    } else if (operand.spec.role != Role::kInput) {
      slices.push_back({.allocation = operand.allocation,
                        .bytes = plan.allocations[a].bytes,
                        .device = kConsumerDevice});
    }
  }
  return slices;
}

}  // namespace samebits::gpu::shared_expert
