#ifndef SAMEBITS_MODEL_PROFILE_ENTRY_H_
#define SAMEBITS_MODEL_PROFILE_ENTRY_H_

#include <string>

namespace samebits {

/// What is known about one unit of a chip: an entry of its profile (data/profiles).
struct ProfileEntry {
  std::string profile;  // "gfx950"
  std::string name;     // "ex2", or a matrix instruction
  bool operator==(const ProfileEntry&) const = default;
};

}  // namespace samebits

#endif  // SAMEBITS_MODEL_PROFILE_ENTRY_H_
