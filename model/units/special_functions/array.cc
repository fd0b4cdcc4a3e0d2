// Array forms: SIMD where the machine has it, else the plain functions.
#include "model/units/special_functions.h"

namespace samebits::units {

void EvaluateArray(const SpecialFunctionTables& tables, Instruction instruction, const float* x,
                   float* y, size_t n) {
  for (size_t i = 0; i < n; ++i) y[i] = Evaluate(tables, instruction, x[i]);
}

void DivFullArray(const SpecialFunctionTables& tables, const float* a, const float* b, float* y,
                  size_t n) {
  for (size_t i = 0; i < n; ++i) y[i] = DivFull(tables, a[i], b[i]);
}

void DivFullFtzArray(const SpecialFunctionTables& tables, const float* a, const float* b, float* y,
                     size_t n) {
  for (size_t i = 0; i < n; ++i) y[i] = DivFullFtz(tables, a[i], b[i]);
}

}  // namespace samebits::units
