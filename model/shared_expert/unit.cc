#include "model/shared_expert/unit.h"

#include <stdexcept>

#include "model/profiles/matrix_units.h"

namespace samebits::shared_expert {

const units::MatrixUnit& MatrixUnitOf(const Choices& choices) {
  const auto* named = profiles::FindMatrixUnit(ProfileName(choices.matrix_unit));
  if (named == nullptr) throw std::logic_error("shared_expert: a matrix unit has no profile");
  return named->unit;
}

}  // namespace samebits::shared_expert
