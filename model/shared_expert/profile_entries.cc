#include "model/shared_expert/profile_entries.h"

#include "model/profiles/profile_entries.h"
#include "model/shared_expert/contract.h"

namespace samebits::shared_expert {

std::vector<ProfileEntry> ProfileEntries(const Contract& contract) {
  const Choices choices = ReadChoices(contract);
  std::vector<ProfileEntry> entries;
  profiles::AddMatrixEntry(ProfileName(choices.matrix_unit), &entries);
  if (choices.special_functions == SpecialFunctions::kCorrectlyRounded) return entries;
  entries.push_back({contract.profile, "ex2"});
  entries.push_back({contract.profile, "rcp"});
  if (choices.situ == SituForm::kApprox) entries.push_back({contract.profile, "tanh"});
  return entries;
}

}  // namespace samebits::shared_expert
