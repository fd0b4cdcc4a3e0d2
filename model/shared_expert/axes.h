// The configuration space of shared_expert as text.
#ifndef SAMEBITS_MODEL_SHARED_EXPERT_AXES_H_
#define SAMEBITS_MODEL_SHARED_EXPERT_AXES_H_

#include <span>

#include "model/contract.h"
#include "model/shared_expert/config.h"

namespace samebits::shared_expert {

std::span<const Axis> Axes();
/// Defaults for what is missing. Throws ConfigError: unknown axis, illegal value, an axis that the
/// variant does not read set to another value than its default, or a combination that
/// Config::validate refuses.
Config ReadConfig(const Settings& settings);
/// Every axis in canonical text: ReadConfig of it is the same configuration.
Settings WriteConfig(const Config& config);

}  // namespace samebits::shared_expert

#endif  // SAMEBITS_MODEL_SHARED_EXPERT_AXES_H_
