#ifndef SAMEBITS_MODEL_KDA_PRE_PROFILE_ENTRIES_H_
#define SAMEBITS_MODEL_KDA_PRE_PROFILE_ENTRIES_H_

#include <vector>

#include "model/contract.h"
#include "model/profile_entry.h"

namespace samebits::kda_pre {

/// The entries of profiles that the contract's results rest on. Throws as ReadChoices.
std::vector<ProfileEntry> ProfileEntries(const Contract& contract);

}  // namespace samebits::kda_pre

#endif  // SAMEBITS_MODEL_KDA_PRE_PROFILE_ENTRIES_H_
