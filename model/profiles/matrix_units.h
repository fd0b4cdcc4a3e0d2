// The matrix units of the chips, by name, with what is known about each (matrix_units.md).
#ifndef SAMEBITS_MODEL_PROFILES_MATRIX_UNITS_H_
#define SAMEBITS_MODEL_PROFILES_MATRIX_UNITS_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "model/units/matrix_unit.h"

namespace samebits::profiles {

enum class Evidence : uint8_t {
  kMeasured,   // equal to results recorded on the chip
  kPublished,  // published models that report validation on the chip
  kAssumed,    // inferred from related chips
  kReference,  // by definition: no chip computes like this
};

struct NamedMatrixUnit {
  std::string_view name;         // "sm_90.mma_sync": the chip and one of its units
  std::string_view instruction;  // as the chip's profile in data/profiles names it; or ""
  units::MatrixUnit unit;
  Evidence evidence;
  std::string_view source;  // one line

  /// The chip: "sm_90".
  std::string_view chip() const { return name.substr(0, name.find('.')); }
};

/// Every profile, in the order of `samebits list`.
std::span<const NamedMatrixUnit> MatrixUnits();
/// nullptr if there is none of that name.
const NamedMatrixUnit* FindMatrixUnit(std::string_view name);
/// "measured", "published", "assumed" or "reference".
std::string_view ToString(Evidence evidence);

}  // namespace samebits::profiles

#endif  // SAMEBITS_MODEL_PROFILES_MATRIX_UNITS_H_
