#include "model/profiles/profile_entries.h"

#include <stdexcept>
#include <string>

#include "model/profiles/matrix_units.h"

namespace samebits::profiles {

void AddMatrixEntry(std::string_view unit, std::vector<ProfileEntry>* entries) {
  const NamedMatrixUnit* named = FindMatrixUnit(unit);
  if (named == nullptr) throw std::logic_error("no matrix unit " + std::string(unit));
  if (named->evidence == Evidence::kReference) return;
  entries->push_back({std::string(named->chip()), std::string(named->instruction)});
}

}  // namespace samebits::profiles
