// How the units are known that a contract's results rest on: measured, published or assumed.
#ifndef SAMEBITS_HARNESS_PROVENANCE_H_
#define SAMEBITS_HARNESS_PROVENANCE_H_

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "harness/profile/profile.h"
#include "harness/report/json_writer.h"
#include "model/kernel.h"

namespace samebits::harness {

struct KnownUnit {
  ProfileEntry entry;
  profile::Evidence evidence;
};

/// The entries that the kernel names, with what the profiles of this program say about each. What
/// they do not have, and a contract that this build cannot read, counts as assumed.
std::vector<KnownUnit> UnitsOf(const Kernel& kernel, const Contract& contract);

/// The assumed ones: "gfx950 rsq, ex2"; "" if there are none.
std::string AssumedText(const std::vector<KnownUnit>& units);

/// "rests on assumed: gfx950 rsq, ex2", or nothing.
void PrintAssumed(std::FILE* file, const Kernel& kernel, const Contract& contract);

/// A field `key`: each unit with its profile, entry, evidence and source.
void WriteUnits(std::string_view key, const Kernel& kernel, const Contract& contract,
                JsonWriter* json);

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_PROVENANCE_H_
