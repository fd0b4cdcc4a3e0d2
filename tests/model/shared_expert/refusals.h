// Configurations that nothing may run, and why (SPEC.md 2.5).
#ifndef SAMEBITS_TESTS_MODEL_SHARED_EXPERT_REFUSALS_H_
#define SAMEBITS_TESTS_MODEL_SHARED_EXPERT_REFUSALS_H_

#include <string>
#include <vector>

#include "model/contract.h"

namespace samebits::shared_expert::testing {

struct Refusal {
  Settings settings;   // on top of the defaults
  std::string field;   // that the message begins with
  std::string reason;  // that it contains
};

/// `changes` of a configuration with front rows.
Settings FrontWith(const Settings& changes);

/// At least one for each constraint. C3 and C6 follow from the others (C2, C4).
std::vector<Refusal> Refusals();

}  // namespace samebits::shared_expert::testing

#endif  // SAMEBITS_TESTS_MODEL_SHARED_EXPERT_REFUSALS_H_
