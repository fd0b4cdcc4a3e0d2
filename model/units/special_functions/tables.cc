// Checks of the unit's tables.
#include <stdexcept>
#include <string>

#include "model/units/special_functions.h"

namespace samebits::units {
namespace {

[[noreturn]] void Refuse(const char* table, const std::string& expected) {
  throw std::invalid_argument(std::string("special-function table ") + table + ": " + expected);
}

void Check(const char* name, const Interpolator& t, size_t rows) {
  if (t.rows.size() != rows) {
    Refuse(name,
           "expected " + std::to_string(rows) + " rows, got " + std::to_string(t.rows.size()));
  }
  if (t.low_bits < 1 || t.low_bits > 22) Refuse(name, "low_bits must be in 1..22");
  if (t.square_first_column < 0 || t.square_first_column > 2 * t.low_bits) {
    Refuse(name, "square_first_column must be in 0..2*low_bits");
  }
  if (t.fraction_bits < 24 || t.fraction_bits > 50) Refuse(name, "fraction_bits not in 24..50");
  if (t.c0_shift < 0 || t.c2_shift < 0 || t.c0_shift > 20 || t.c2_shift > 20) {
    Refuse(name, "shifts must be in 0..20");
  }
  // V of every segment is non-negative and below 2^52 at both ends, so that it is exact in double.
  for (uint32_t row = 0; row < rows; ++row) {
    for (const uint32_t x : {0u, (1u << t.low_bits) - 1u}) {
      const int64_t v = Interpolate(t, row, x);
      if (v < 0 || v >= int64_t{1} << 52) {
        Refuse(name, "value of row " + std::to_string(row) + " is outside [0, 2^52)");
      }
    }
  }
}

/// A table whose row is chosen by the top bits of an argument of `bits` bits.
void CheckByFraction(const char* name, const Interpolator& t, int bits = 23) {
  if (t.low_bits > bits) Refuse(name, "low_bits is larger than the argument");
  Check(name, t, size_t{1} << (bits - t.low_bits));
}

}  // namespace

void SpecialFunctionTables::validate() const {
  if (method == SpecialFunctionMethod::kCorrectlyRounded) return;  // without tables
  CheckByFraction("ex2", ex2);
  CheckByFraction("rcp", rcp);
  CheckByFraction("rsq", rsq, 24);
  CheckByFraction("sqrt", sqrt, 24);
  CheckByFraction("lg2", lg2);
  CheckByFraction("sin", sin);
  size_t rows = 0;
  for (const TanhBinade& binade : tanh_binades) {
    if (binade.first_row != rows) Refuse("tanh", "binades must follow one another");
    if (binade.index_bits + tanh.low_bits > 23) Refuse("tanh", "index_bits + low_bits above 23");
    rows += size_t{1} << binade.index_bits;
  }
  Check("tanh", tanh, rows);
}

}  // namespace samebits::units
