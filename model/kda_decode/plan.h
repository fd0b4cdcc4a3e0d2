// Where the tensors of one launch live (SPEC.md 2.1, 2.3).
#ifndef SAMEBITS_MODEL_KDA_DECODE_PLAN_H_
#define SAMEBITS_MODEL_KDA_DECODE_PLAN_H_

#include "model/kda_decode/config.h"
#include "model/kernel.h"

namespace samebits::kda_decode {

/// The request is a padded row of the configuration.
bool IsPadded(const Config& config, int request);
/// num_accepted of a request; 1 for padded rows and T == 1.
int AcceptedTokens(const Config& config, int request);
/// Columns of `slots`: T, or 1 where no request looks beyond the first (T == 1; record with every
/// num_accepted 1).
int SlotColumns(const Config& config);
/// Slots of the caches: the null slot 0, one per used column of an unpadded request, and at least
/// kSpareSlots that nobody uses.
int SlotCount(const Config& config);
inline constexpr int kSpareSlots = 2;

MemoryPlan MakePlan(const Config& config, bool taps);

}  // namespace samebits::kda_decode

#endif  // SAMEBITS_MODEL_KDA_DECODE_PLAN_H_
