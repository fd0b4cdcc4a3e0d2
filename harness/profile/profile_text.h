// Profiles as text, and their tables as HDF5.
#ifndef SAMEBITS_HARNESS_PROFILE_PROFILE_TEXT_H_
#define SAMEBITS_HARNESS_PROFILE_PROFILE_TEXT_H_

#include <functional>
#include <string>
#include <string_view>

#include "golden/hdf5.h"
#include "golden/seal.h"
#include "harness/profile/profile.h"

namespace samebits::harness::profile {

using OpenTables = std::function<golden::H5File(const std::string& name)>;

/// `source` names the text in errors. Throws ConfigError that names the key.
Profile ParseProfile(std::string_view text, const std::string& source, const OpenTables& open);
/// `tables`: name of the HDF5 file.
std::string ProfileText(const Profile& profile, const std::string& tables);

}  // namespace samebits::harness::profile

#endif  // SAMEBITS_HARNESS_PROFILE_PROFILE_TEXT_H_
