// The configuration space of kda_pre as text.
#ifndef SAMEBITS_MODEL_KDA_PRE_AXES_H_
#define SAMEBITS_MODEL_KDA_PRE_AXES_H_

#include <span>

#include "model/contract.h"
#include "model/kda_pre/config.h"

namespace samebits::kda_pre {

std::span<const Axis> Axes();
/// Defaults for what is missing. Throws ConfigError: unknown axis, illegal value, or a combination
/// that Config::validate refuses.
Config ReadConfig(const Settings& settings);
/// Every axis in canonical text: ReadConfig of it is the same configuration.
Settings WriteConfig(const Config& config);

}  // namespace samebits::kda_pre

#endif  // SAMEBITS_MODEL_KDA_PRE_AXES_H_
