// Which entries of profiles the units of a contract are.
#ifndef SAMEBITS_MODEL_PROFILES_PROFILE_ENTRIES_H_
#define SAMEBITS_MODEL_PROFILES_PROFILE_ENTRIES_H_

#include <string_view>
#include <vector>

#include "model/profile_entry.h"

namespace samebits::profiles {

/// Appends the entry of a matrix unit (by its name in matrix_units.h); a reference has none.
void AddMatrixEntry(std::string_view unit, std::vector<ProfileEntry>* entries);

}  // namespace samebits::profiles

#endif  // SAMEBITS_MODEL_PROFILES_PROFILE_ENTRIES_H_
