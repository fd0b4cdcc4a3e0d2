// The special functions of sm_90.
#ifndef SAMEBITS_MODEL_PROFILES_SPECIAL_FUNCTIONS_SM_90_H_
#define SAMEBITS_MODEL_PROFILES_SPECIAL_FUNCTIONS_SM_90_H_

#include "model/units/special_functions.h"

namespace samebits::profiles {

/// Measured: NVIDIA H200, driver 580, CUDA 13.0; exact for all 2^32 inputs of every instruction.
const units::SpecialFunctionTables& Sm90SpecialFunctions();

/// No chip: every function of the unit correctly rounded (contract choice `mufu`).
const units::SpecialFunctionTables& CorrectlyRoundedSpecialFunctions();

}  // namespace samebits::profiles

#endif  // SAMEBITS_MODEL_PROFILES_SPECIAL_FUNCTIONS_SM_90_H_
