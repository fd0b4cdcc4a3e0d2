#include "model/kda_pre/profile_entries.h"

#include "model/kda_pre/contract.h"
#include "model/profiles/profile_entries.h"

namespace samebits::kda_pre {

/// Every form of exp2 and rsq stands in for results of the chip (SPEC.md A-6).
std::vector<ProfileEntry> ProfileEntries(const Contract& contract) {
  const Choices choices = ReadChoices(contract);
  std::vector<ProfileEntry> entries = {{contract.profile, "rsq"}, {contract.profile, "ex2"}};
  profiles::AddMatrixEntry(ProfileName(choices.matrix_unit), &entries);
  return entries;
}

}  // namespace samebits::kda_pre
