// Ends a launch that would wait for ever.
#ifndef SAMEBITS_GPU_SHARED_EXPERT_WATCHDOG_CUH_
#define SAMEBITS_GPU_SHARED_EXPERT_WATCHDOG_CUH_

#include "gpu/lane/annotate.h"

namespace samebits::gpu::shared_expert {

/// Counts polls of memory that another block writes: a block that does not run, dirty counters or
/// memory that somebody else wrote must not hang the device.
struct Watchdog {
  static constexpr int kPolls = 1 << 20;  // about a second
  int polls = 0;
  template <class Lane>
  SAMEBITS_DEVICE void Count(const Lane& lane) {
    if (++polls == kPolls) lane.Trap();
  }
};

}  // namespace samebits::gpu::shared_expert

#endif  // SAMEBITS_GPU_SHARED_EXPERT_WATCHDOG_CUH_
