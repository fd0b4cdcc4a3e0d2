// The parameters of a matrix unit by name: what a fit varies and a profile file stores.
#ifndef SAMEBITS_HARNESS_PROFILE_MATRIX_PARAMETERS_H_
#define SAMEBITS_HARNESS_PROFILE_MATRIX_PARAMETERS_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/units/matrix_unit.h"

namespace samebits::harness::profile {

struct MatrixParameter {
  std::string_view name;
  int64_t (*get)(const units::MatrixUnit& unit);
  void (*set)(units::MatrixUnit* unit, int64_t value);
  int min, max;       // that a fit tries; 0 and 1 of a flag
  bool power_of_two;  // only these
  bool flag;
  uint32_t read_by;  // bit per BlockSum
  bool used(units::BlockSum op) const { return read_by >> static_cast<int>(op) & 1; }
};

/// Without `op`, `instruction_k` and `nan_bits`.
std::span<const MatrixParameter> MatrixParameters();

/// "join", "late", "pair", "exact", "sequential".
std::string_view Name(units::BlockSum op);
inline constexpr units::BlockSum kBlockSums[] = {units::BlockSum::kJoin, units::BlockSum::kLate,
                                                 units::BlockSum::kPair, units::BlockSum::kExact,
                                                 units::BlockSum::kSequential};

}  // namespace samebits::harness::profile

#endif  // SAMEBITS_HARNESS_PROFILE_MATRIX_PARAMETERS_H_
