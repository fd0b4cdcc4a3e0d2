// The half-precision forms (special_functions_more.md, "Half-precision forms").
#include "model/units/special_functions.h"

namespace samebits::units {

arith::Bf16 TanhBf16(const SpecialFunctionTables& tables, arith::Bf16 x) {
  return arith::TruncateToBf16(Tanh(tables, arith::Widen(x)));
}

arith::F16 TanhF16(const SpecialFunctionTables& tables, arith::F16 x) {
  return arith::TruncateToF16(Tanh(tables, arith::WidenF16(x)));
}

arith::Bf16 Ex2FtzBf16(const SpecialFunctionTables& tables, arith::Bf16 x) {
  return arith::TruncateToBf16(Ex2(tables, arith::Widen(x)));
}

arith::F16 Ex2F16(const SpecialFunctionTables& tables, arith::F16 x) {
  return arith::TruncateToF16(Ex2(tables, arith::WidenF16(x)));
}

}  // namespace samebits::units
