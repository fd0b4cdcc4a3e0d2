// The recorded operations that need no fit of their own: 16-bit forms, divisions, conversions and
// arithmetic with and without flush to zero.
#ifndef SAMEBITS_HARNESS_PROFILE_CHECK_OPERATIONS_H_
#define SAMEBITS_HARNESS_PROFILE_CHECK_OPERATIONS_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/profile/capture.h"
#include "model/units/special_functions.h"

namespace samebits::harness::profile {

struct OperationCheck {
  std::string name;
  std::string function;   // whose table it needs, "" for none
  bool compared = false;  // false: that function is unknown
  int64_t results = 0, differ = 0;
  std::string first;  // the first difference in words
};

/// The tables with that function, nothing if it is unknown.
using FindTables =
    std::function<std::optional<units::SpecialFunctionTables>(const std::string& function)>;

std::vector<OperationCheck> CheckOperations(const Capture& capture, const FindTables& find);

}  // namespace samebits::harness::profile

#endif  // SAMEBITS_HARNESS_PROFILE_CHECK_OPERATIONS_H_
