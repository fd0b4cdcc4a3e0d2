// Array forms: SIMD where the machine has it, else the plain functions.
#include "model/simd_support.h"
#include "model/units/special_functions.h"
#include "model/units/special_functions/simd.h"

namespace samebits::units {

void EvaluateArray(const SpecialFunctionTables& tables, Instruction instruction, const float* x,
                   float* y, size_t n) {
  if (SimdApplies(tables)) return EvaluateArraySimd(tables, instruction, x, y, n);
  for (size_t i = 0; i < n; ++i) y[i] = Evaluate(tables, instruction, x[i]);
}

void DivFullArray(const SpecialFunctionTables& tables, const float* a, const float* b, float* y,
                  size_t n) {
  if (SimdApplies(tables)) return DivFullArraySimd(tables, a, b, y, n);
  for (size_t i = 0; i < n; ++i) y[i] = DivFull(tables, a[i], b[i]);
}

void DivFullFtzArray(const SpecialFunctionTables& tables, const float* a, const float* b, float* y,
                     size_t n) {
  if (SimdApplies(tables)) return DivFullFtzArraySimd(tables, a, b, y, n);
  for (size_t i = 0; i < n; ++i) y[i] = DivFullFtz(tables, a[i], b[i]);
}

}  // namespace samebits::units
