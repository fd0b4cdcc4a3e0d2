// MUFU.RCP: 1/x.
#include "model/units/special_functions.h"
#include "model/units/special_functions/correctly_rounded.h"

namespace samebits::units {

float Rcp(const SpecialFunctionTables& tables, float x) {
  const uint32_t bits = arith::ToBits(x);
  const uint32_t magnitude = bits & 0x7FFFFFFFu;
  const uint32_t sign = bits & 0x80000000u;
  if (magnitude > 0x7F800000u) return arith::FromBits(arith::kNanBits);
  if (magnitude < 0x00800000u) return arith::FromBits(sign | 0x7F800000u);
  if (magnitude == 0x7F800000u) return arith::FromBits(sign);
  if (tables.method == SpecialFunctionMethod::kCorrectlyRounded) return correctly_rounded::Rcp(x);

  const int exponent = static_cast<int>(magnitude >> 23) - 127;
  const uint32_t fraction = magnitude & 0x7FFFFFu;
  if (fraction == 0) return Assemble(sign, 1, 0, -exponent);
  return Assemble(sign, Interpolate(tables.rcp, fraction), tables.rcp.fraction_bits, -exponent);
}

}  // namespace samebits::units
