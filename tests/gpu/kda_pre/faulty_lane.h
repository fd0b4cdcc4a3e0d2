// HostAmdLane with one fault of kda_pre's protocol: a message lost, wrongly tagged or believed too
// early, a wait or barrier left out. The kernel's source stays as it is.
#ifndef SAMEBITS_TESTS_GPU_KDA_PRE_FAULTY_LANE_H_
#define SAMEBITS_TESTS_GPU_KDA_PRE_FAULTY_LANE_H_

#include <array>
#include <cstdint>
#include <string_view>

#include "gpu/kda_pre/params.h"
#include "gpu/lane/host_amd.h"

namespace samebits::gpu::kda_pre {

enum class Seeded : uint8_t {
  kNone,
  kLostPart,
  kLostWeight,
  kLostMsq,
  kLostFlag,
  kLostProj,
  kLostQk,
  kLostOnrm,
  kStaleTag,     // a message of in_proj with the epoch before
  kWrongLayer,   // a message of q or k with another layer's tag
  kEpochBefore,  // q and k of the step before are believed
  kNoStoreWait,  // the flag of a slice goes out before its rows are complete
  kNoBarriers,   // no block barrier at all in the block of slice 3
  kCount,
};

inline constexpr std::array<std::string_view, static_cast<size_t>(Seeded::kCount)> kSeededNames = {
    "none",
    "lost: part",
    "lost: weight",
    "lost: msq",
    "lost: flag of a slice",
    "lost: proj",
    "lost: qk",
    "lost: onrm",
    "stale tag",
    "tag of another layer",
    "messages of the epoch before",
    "no wait for stores",
    "no barriers in a block",
};

class FaultyLane : public HostAmdLane<kGfx950> {
 public:
  FaultyLane(Seeded seeded, const Params& params) : seeded_(seeded), boxes_(params.mailboxes) {}

  void PutMessage(Word2* to, uint32_t value, uint32_t tag, Where where = Where::current()) const {
    if (IsLost(to)) return;
    if (Is(Seeded::kStaleTag) && to == boxes_.proj + 100) tag -= kEpochTags;
    if (Is(Seeded::kWrongLayer) && to == boxes_.qk + 300) ++tag;
    HostAmdLane::PutMessage(to, value, tag, where);
  }
  template <int kCount>
  bool PollMessages(const Word2* const (&at)[kCount], uint32_t tag, int rounds,
                    uint32_t (&values)[kCount], Where where = Where::current()) const {
    // Not in the first step, which has none before it.
    const bool later = tag > 2 * kEpochTags;
    if (Is(Seeded::kEpochBefore) && later && at[0] >= boxes_.qk && at[0] < boxes_.onrm) {
      tag -= kEpochTags;
    }
    return HostAmdLane::PollMessages(at, tag, rounds, values, where);
  }
  void WaitStores(Where where = Where::current()) const {
    if (!Is(Seeded::kNoStoreWait)) HostAmdLane::WaitStores(where);
  }
  void BlockBarrier(Where where = Where::current()) const {
    if (Is(Seeded::kNoBarriers) && BlockIndex() == 3) return;
    HostAmdLane::BlockBarrier(where);
  }

 private:
  static constexpr uint32_t kEpochTags = samebits::kda_pre::kTagSlots;

  bool Is(Seeded seeded) const { return seeded_ == seeded; }
  bool IsLost(const Word2* to) const {
    return (Is(Seeded::kLostPart) && to == boxes_.part + 21) ||
           (Is(Seeded::kLostWeight) && to == boxes_.weight + 1) ||
           (Is(Seeded::kLostMsq) && to == boxes_.msq + 30) ||
           (Is(Seeded::kLostFlag) && to == boxes_.x_ready + 17) ||
           (Is(Seeded::kLostProj) && to == boxes_.proj + 2000) ||
           (Is(Seeded::kLostQk) && to == boxes_.qk + 1000) ||
           (Is(Seeded::kLostOnrm) && to == boxes_.onrm + 50);
  }

  Seeded seeded_;
  const Mailboxes& boxes_;
};

}  // namespace samebits::gpu::kda_pre

#endif  // SAMEBITS_TESTS_GPU_KDA_PRE_FAULTY_LANE_H_
