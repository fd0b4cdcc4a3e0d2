// Which device has which rank of a case, and what of the case's memory (SPEC.md 7).
#ifndef SAMEBITS_GPU_SHARED_EXPERT_PLACEMENT_H_
#define SAMEBITS_GPU_SHARED_EXPERT_PLACEMENT_H_

#include <string_view>
#include <vector>

#include "gpu/device_kernel.h"
#include "model/contract.h"

namespace samebits::gpu::shared_expert {

/// The device of a tensor-parallel rank: of its weights, h, counters, intermediates and mailboxes.
constexpr int DeviceOf(int rank, int devices) { return rank % devices; }
/// Where the receiving side of all ranks runs.
inline constexpr int kConsumerDevice = 0;

/// The slices of a configuration's plan: what is indexed by "rank" or "peer" is that rank's, a
/// mailbox with the gap behind it; `reduced` is the consumer's; x is in no slice, all have it.
std::vector<RankSlice> PlaceCase(const Settings& settings, bool taps, int devices);

/// The kernel's ranks on some backend.
class PlacedRanks : public RankedKernel {
 public:
  std::string_view rank_axis() const final { return "tp"; }
  std::vector<RankSlice> Placement(const Settings& settings, bool taps, int devices) const final {
    return PlaceCase(settings, taps, devices);
  }
};

}  // namespace samebits::gpu::shared_expert

#endif  // SAMEBITS_GPU_SHARED_EXPERT_PLACEMENT_H_
