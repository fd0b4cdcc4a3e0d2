#ifndef SAMEBITS_MODEL_SHARED_EXPERT_PROFILE_ENTRIES_H_
#define SAMEBITS_MODEL_SHARED_EXPERT_PROFILE_ENTRIES_H_

#include <vector>

#include "model/contract.h"
#include "model/profile_entry.h"

namespace samebits::shared_expert {

/// The entries of profiles that the contract's results rest on. Throws as ReadChoices.
std::vector<ProfileEntry> ProfileEntries(const Contract& contract);

}  // namespace samebits::shared_expert

#endif  // SAMEBITS_MODEL_SHARED_EXPERT_PROFILE_ENTRIES_H_
