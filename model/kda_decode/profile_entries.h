#ifndef SAMEBITS_MODEL_KDA_DECODE_PROFILE_ENTRIES_H_
#define SAMEBITS_MODEL_KDA_DECODE_PROFILE_ENTRIES_H_

#include <vector>

#include "model/contract.h"
#include "model/profile_entry.h"

namespace samebits::kda_decode {

/// The entries of profiles that the contract's results rest on. Throws as ReadChoices.
std::vector<ProfileEntry> ProfileEntries(const Contract& contract);

}  // namespace samebits::kda_decode

#endif  // SAMEBITS_MODEL_KDA_DECODE_PROFILE_ENTRIES_H_
