// The matrix unit that a contract names (SPEC.md 4.1, policy P3).
#ifndef SAMEBITS_MODEL_SHARED_EXPERT_UNIT_H_
#define SAMEBITS_MODEL_SHARED_EXPERT_UNIT_H_

#include "model/shared_expert/contract.h"
#include "model/units/matrix_unit.h"

namespace samebits::shared_expert {

const units::MatrixUnit& MatrixUnitOf(const Choices& choices);

}  // namespace samebits::shared_expert

#endif  // SAMEBITS_MODEL_SHARED_EXPERT_UNIT_H_
