// The parameters of a matrix unit from its recorded dot products alone: no profile is read.
#ifndef SAMEBITS_HARNESS_PROFILE_FIT_MATRIX_H_
#define SAMEBITS_HARNESS_PROFILE_FIT_MATRIX_H_

#include <cstdint>
#include <string>
#include <vector>

#include "harness/profile/capture.h"
#include "model/units/matrix_unit.h"

namespace samebits::harness::profile {

/// How sharply the cases decide one parameter.
struct Sensitivity {
  std::string parameter;          // "fraction_bits"
  std::string value;              // that was found
  std::vector<std::string> same;  // other values that give every case just as well
  std::string nearest;            // the other value that gives the most cases
  int64_t nearest_misses = 0;     // cases that it misses
};

struct MatrixFit {
  std::string name;  // of the instruction
  units::MatrixUnit unit;
  int64_t cases = 0;
  int64_t misses = 0;                   // cases that `unit` does not give; 0: fitted
  std::vector<std::string> missed;      // tags of some of them
  std::vector<Sensitivity> parameters;  // those that the kind of sum reads; of a fitted unit
  int placements = 0, placements_differ = 0;
  bool exact() const { return misses == 0 && placements_differ == 0; }
};

MatrixFit FitMatrix(const Capture& capture, const MatrixCapture& matrix, int threads);

/// Cases that `unit` misses; the count ends at `enough`.
int64_t MatrixMisses(const MatrixCases& cases, const std::vector<uint32_t>& results,
                     const units::MatrixUnit& unit, int64_t enough = INT64_MAX);

}  // namespace samebits::harness::profile

#endif  // SAMEBITS_HARNESS_PROFILE_FIT_MATRIX_H_
