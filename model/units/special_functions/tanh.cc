// MUFU.TANH: tanh(x).
#include "model/units/special_functions.h"
#include "model/units/special_functions/correctly_rounded.h"

namespace samebits::units {

float Tanh(const SpecialFunctionTables& tables, float x) {
  const uint32_t bits = arith::ToBits(x);
  const uint32_t magnitude = bits & 0x7FFFFFFFu;
  const uint32_t sign = bits & 0x80000000u;
  const int exponent = static_cast<int>(magnitude >> 23) - 127;
  if (magnitude > 0x7F800000u) return arith::FromBits(arith::kNanBits);
  if (tables.method == SpecialFunctionMethod::kCorrectlyRounded) return correctly_rounded::Tanh(x);
  if (exponent < SpecialFunctionTables::kTanhMinExponent) return x;
  if (exponent > SpecialFunctionTables::kTanhMaxExponent) {
    return arith::FromBits(sign | 0x3F800000u);
  }

  const auto [index_bits, first_row] =
      tables.tanh_binades[static_cast<size_t>(exponent - SpecialFunctionTables::kTanhMinExponent)];
  const int low_bits = tables.tanh.low_bits;
  const uint32_t fraction = magnitude & 0x7FFFFFu;
  const uint32_t row = first_row + (fraction >> (23 - index_bits));
  // Fraction bits below x are ignored.
  const uint32_t below_index = fraction & ((1u << (23 - index_bits)) - 1u);
  const uint32_t argument = below_index >> (23 - index_bits - low_bits);
  return Assemble(sign, Interpolate(tables.tanh, row, argument), tables.tanh.fraction_bits);
}

}  // namespace samebits::units
