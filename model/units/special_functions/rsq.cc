// MUFU.RSQ: 1/sqrt(x).
#include "model/units/special_functions.h"
#include "model/units/special_functions/correctly_rounded.h"

namespace samebits::units {

float Rsq(const SpecialFunctionTables& tables, float x) {
  const uint32_t bits = arith::ToBits(x);
  const uint32_t magnitude = bits & 0x7FFFFFFFu;
  const uint32_t sign = bits & 0x80000000u;
  if (magnitude > 0x7F800000u) return arith::FromBits(arith::kNanBits);
  if (magnitude < 0x00800000u) return arith::FromBits(sign | 0x7F800000u);
  if (sign != 0) return arith::FromBits(arith::kNanBits);
  if (magnitude == 0x7F800000u) return 0.0f;
  if (tables.method == SpecialFunctionMethod::kCorrectlyRounded) return correctly_rounded::Rsq(x);

  const int exponent = static_cast<int>(magnitude >> 23) - 127;
  const uint32_t odd = static_cast<uint32_t>(exponent) & 1u;
  const int half = exponent >> 1;  // floor: exponent = 2 * half + odd
  const uint32_t argument = odd << 23 | (magnitude & 0x7FFFFFu);
  if (argument == 0) return Assemble(0, 1, 0, -half);
  return Assemble(0, Interpolate(tables.rsq, argument), tables.rsq.fraction_bits, -half);
}

}  // namespace samebits::units
