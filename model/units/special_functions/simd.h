// The SIMD twins of the array forms.
#ifndef SAMEBITS_MODEL_UNITS_SPECIAL_FUNCTIONS_SIMD_H_
#define SAMEBITS_MODEL_UNITS_SPECIAL_FUNCTIONS_SIMD_H_

#include <cstddef>

#include "model/units/special_functions.h"

namespace samebits::units {

/// Whether the machine has AVX2 and the tables have the shapes that the SIMD code is written for:
/// x of 16 bits with first column 17 (rcp), of 17 bits with first column 19 (the others). Where
/// not, the functions below must not be called.
bool SimdApplies(const SpecialFunctionTables& tables);

void EvaluateArraySimd(const SpecialFunctionTables& tables, Instruction instruction, const float* x,
                       float* y, size_t n);
void DivFullArraySimd(const SpecialFunctionTables& tables, const float* a, const float* b, float* y,
                      size_t n);
void DivFullFtzArraySimd(const SpecialFunctionTables& tables, const float* a, const float* b,
                         float* y, size_t n);

/// Name of the instruction set that the functions above run on: "AVX2" or "AVX3".
const char* SimdTargetInUse();

}  // namespace samebits::units

#endif  // SAMEBITS_MODEL_UNITS_SPECIAL_FUNCTIONS_SIMD_H_
