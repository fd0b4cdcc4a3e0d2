// From recorded results to what they say about V (model/units/special_functions.md).
#ifndef SAMEBITS_HARNESS_PROFILE_SAMPLES_H_
#define SAMEBITS_HARNESS_PROFILE_SAMPLES_H_

#include <optional>
#include <string>
#include <vector>

#include "harness/profile/capture.h"
#include "harness/profile/fit_table.h"
#include "model/units/special_functions.h"

namespace samebits::harness::profile {

/// The samples of one function's table, and what its reduction says about the table's shape.
struct FunctionSamples {
  std::vector<TableBinade> binades;
  TableShape shape;
  std::string failure;  // why there are none
};

/// The core instruction of ex2, rcp, rsq, sqrt, lg2, tanh or sin.
FunctionSamples SamplesOf(const Capture& capture, const UnaryCapture& unary);

}  // namespace samebits::harness::profile

#endif  // SAMEBITS_HARNESS_PROFILE_SAMPLES_H_
