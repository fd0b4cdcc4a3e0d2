// Finds the table of a piecewise quadratic (model/units/special_functions.md, "One interpolator for
// all of them") from values of the function alone.
#ifndef SAMEBITS_HARNESS_PROFILE_FIT_TABLE_H_
#define SAMEBITS_HARNESS_PROFILE_FIT_TABLE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/units/special_functions.h"

namespace samebits::harness::profile {

/// V at this fraction lies in [low, high), in units of 2^-kSampleBits.
struct TableSample {
  uint32_t fraction;  // 23 bits
  int64_t low, high;
};
inline constexpr int kSampleBits = 50;

/// One binade of a function: rows by its top fraction bits.
using TableBinade = std::vector<TableSample>;

/// What is known of the table before.
struct TableShape {
  /// The binades have their own number of index bits, x ignores low fraction bits (TANH);
  /// otherwise all binades have the same and x is the rest of the fraction.
  bool own_index_bits = false;
  /// V has exactly this many fraction bits; 0: as many as the coefficients need.
  int fraction_bits = 0;
};

/// Rows in the order of the binades. Any bias in [bias, bias + bias_choices) gives all samples.
struct TableFit {
  std::vector<units::QuadraticRow> rows;
  std::vector<int> index_bits;  // of each binade
  int low_bits = 0, square_first_column = 0, fraction_bits = 0, c0_shift = 0, c2_shift = 0;
  int64_t bias = 0, bias_choices = 1;
  double c1_quantum_log2 = 0, c2_quantum_log2 = 0;  // of V, per x and per T

  /// Refers to this fit's rows.
  units::Interpolator interpolator() const;
};

struct TableSearch {
  std::vector<TableFit> fits;  // all that give every sample; the likeliest first
  std::string failure;         // if there are none: the best that was found
};

TableSearch FitTable(const std::vector<TableBinade>& binades, const TableShape& shape);

}  // namespace samebits::harness::profile

#endif  // SAMEBITS_HARNESS_PROFILE_FIT_TABLE_H_
