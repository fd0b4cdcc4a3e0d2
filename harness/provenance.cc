#include "harness/provenance.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/status.h"

namespace samebits::harness {
namespace {

using profile::Evidence;
using profile::Profile;

Evidence Assumed(std::string source) { return {profiles::Evidence::kAssumed, std::move(source)}; }

Evidence EvidenceIn(const Profile& profile, const std::string& name) {
  if (const auto at = profile.functions.find(name); at != profile.functions.end()) {
    return at->second.evidence;
  }
  const auto at = std::ranges::find(profile.matrix, name, &profile::MatrixEntry::instruction);
  if (at != profile.matrix.end()) return at->evidence;
  return Assumed(fmt::format("profile {} has no such entry", profile.name));
}

Evidence EvidenceOf(const ProfileEntry& entry) {
  const std::vector<std::string> names = profile::ProfileNames();
  if (std::ranges::find(names, entry.profile) == names.end()) {
    return Assumed("this program has no such profile");
  }
  return EvidenceIn(profile::LoadProfile(entry.profile), entry.name);
}

}  // namespace

std::vector<KnownUnit> UnitsOf(const Kernel& kernel, const Contract& contract) {
  std::vector<KnownUnit> units;
  try {
    for (const ProfileEntry& entry : kernel.ProfileEntries(contract)) {
      units.push_back({entry, EvidenceOf(entry)});
    }
  } catch (const ConfigError& error) {
    return {{{contract.profile, "units of a contract that this build does not know"},
             Assumed(error.what())}};
  }
  return units;
}

std::string AssumedText(const std::vector<KnownUnit>& units) {
  std::string text, profile;
  for (const KnownUnit& unit : units) {
    if (unit.evidence.kind != profiles::Evidence::kAssumed) continue;
    if (!text.empty()) text += ", ";
    if (unit.entry.profile != profile) text += unit.entry.profile + " ";
    profile = unit.entry.profile;
    text += unit.entry.name;
  }
  return text;
}

void PrintAssumed(std::FILE* file, const Kernel& kernel, const Contract& contract) {
  const std::string assumed = AssumedText(UnitsOf(kernel, contract));
  if (!assumed.empty()) fmt::print(file, "rests on assumed: {}\n", assumed);
}

void WriteUnits(std::string_view key, const Kernel& kernel, const Contract& contract,
                JsonWriter* json) {
  json->Key(key).BeginArray();
  for (const KnownUnit& unit : UnitsOf(kernel, contract)) {
    json->BeginObject().Field("profile", unit.entry.profile).Field("entry", unit.entry.name);
    json->Field("evidence", profiles::ToString(unit.evidence.kind));
    json->Field("source", unit.evidence.source).End();
  }
  json->End();
}

}  // namespace samebits::harness
