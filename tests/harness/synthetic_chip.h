// Made-up special-function units: tables of the true functions on any structure of the family.
#ifndef SAMEBITS_TESTS_HARNESS_SYNTHETIC_CHIP_H_
#define SAMEBITS_TESTS_HARNESS_SYNTHETIC_CHIP_H_

#include <cmath>
#include <functional>
#include <vector>

#include "model/units/special_functions.h"

namespace samebits::testing {

struct SyntheticTable {
  int index_bits;           // of one binade
  int square_first_column;  // of x with 23 - index_bits bits
  int fraction_bits;        // of V
  int c0_shift;
  int c1_shift;  // C1 is a multiple of 2^c1_shift units per x
  int c2_shift;
  int64_t bias;
};

/// Rows of f(m), m = binade start * (1 + fraction), one interval after the other.
inline std::vector<units::QuadraticRow> SyntheticRows(const SyntheticTable& t,
                                                      const std::vector<double>& binades,
                                                      const std::function<double(double)>& f) {
  std::vector<units::QuadraticRow> rows;
  const int n = 23 - t.index_bits;
  const double unit = std::ldexp(1.0, t.fraction_bits);
  for (const double start : binades) {
    const double width = start * std::ldexp(1.0, -t.index_bits);
    for (int i = 0; i < 1 << t.index_bits; ++i) {
      const double left = start + width * i;
      // Interpolated at three points.
      const double y0 = f(left), y1 = f(left + width / 2), y2 = f(left + width);
      const double c2 = 2 * (y2 - 2 * y1 + y0), c1 = y2 - y0 - c2;
      const auto round = [](double value, int shift) {
        return static_cast<int64_t>(std::llround(std::ldexp(value, -shift)));
      };
      rows.push_back(
          {static_cast<int32_t>(round(y0 * unit, t.c0_shift)),
           static_cast<int32_t>(round(c1 * std::ldexp(unit, -n), t.c1_shift) << t.c1_shift),
           static_cast<int32_t>(
               round(c2 * std::ldexp(unit, t.square_first_column - 2 * n), t.c2_shift))});
    }
  }
  return rows;
}

inline units::Interpolator Synthetic(const SyntheticTable& t,
                                     const std::vector<units::QuadraticRow>& rows) {
  units::Interpolator table;
  table.low_bits = 23 - t.index_bits;
  table.square_first_column = t.square_first_column;
  table.fraction_bits = t.fraction_bits;
  table.c0_shift = t.c0_shift;
  table.c2_shift = t.c2_shift;
  table.bias = t.bias;
  table.rows = rows;
  return table;
}

}  // namespace samebits::testing

#endif  // SAMEBITS_TESTS_HARNESS_SYNTHETIC_CHIP_H_
