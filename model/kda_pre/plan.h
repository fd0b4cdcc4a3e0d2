// Where the tensors of one launch live (SPEC.md 2.1, 2.3): each operand has an allocation of its
// own, in the order of the operand table, then the taps, then core_out.
#ifndef SAMEBITS_MODEL_KDA_PRE_PLAN_H_
#define SAMEBITS_MODEL_KDA_PRE_PLAN_H_

#include "model/kda_pre/config.h"
#include "model/kernel.h"

namespace samebits::kda_pre {

/// The request is a padded one of the configuration.
bool IsPadded(const Config& config, int request);
/// num_acc of a request; 1 for padded ones and L == 1.
int AcceptedTokens(const Config& config, int request);
/// Slots of the caches: the null slot 0, one per token of a request that is not padded, and
/// kSpareSlots that nobody uses.
int SlotCount(const Config& config);
inline constexpr int kSpareSlots = 2;

/// Gaps with Pages::kGapped, in elements. Those of bf16 pages are multiples of 4 and of 8 (quads
/// are loaded as words, pieces as 16 bytes).
inline constexpr int64_t kBlockGap = 40;  // between the blocks of a token
inline constexpr int64_t kTokenGap = 24;  // between the tokens of `blocks`
inline constexpr int64_t kConvGap = 24;   // between the slots of conv_state
inline constexpr int64_t kStateGap = 68;  // between the slots of rstate
inline constexpr int64_t kTableGap = 3;   // between the rows of st_idx

MemoryPlan MakePlan(const Config& config, bool taps);

}  // namespace samebits::kda_pre

#endif  // SAMEBITS_MODEL_KDA_PRE_PLAN_H_
