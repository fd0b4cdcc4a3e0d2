// MUFU.LG2: log2(x).
#include "model/units/special_functions.h"
#include "model/units/special_functions/correctly_rounded.h"

namespace samebits::units {

float Lg2(const SpecialFunctionTables& tables, float x) {
  const uint32_t bits = arith::ToBits(x);
  const uint32_t magnitude = bits & 0x7FFFFFFFu;
  if (magnitude > 0x7F800000u) return arith::FromBits(arith::kNanBits);
  if (magnitude < 0x00800000u) return arith::FromBits(0xFF800000u);
  if (bits != magnitude) return arith::FromBits(arith::kNanBits);
  if (magnitude == 0x7F800000u) return x;
  if (bits == 0x3F800000u) return 0.0f;
  if (tables.method == SpecialFunctionMethod::kCorrectlyRounded) return correctly_rounded::Lg2(x);

  const int64_t exponent = static_cast<int64_t>(magnitude >> 23) - 127;
  // The two lowest bits of V are dropped before the exponent is added.
  const int64_t v = Interpolate(tables.lg2, magnitude & 0x7FFFFFu) >> 2;
  const int fraction_bits = tables.lg2.fraction_bits - 2;
  const int64_t sum = exponent * (int64_t{1} << fraction_bits) + v;
  // The magnitude of a negative sum is its one's complement.
  return sum >= 0 ? Assemble(0, sum, fraction_bits) : Assemble(0x80000000u, ~sum, fraction_bits);
}

}  // namespace samebits::units
