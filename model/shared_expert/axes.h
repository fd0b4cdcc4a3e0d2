// The configuration space of shared_expert as text.
#ifndef SAMEBITS_MODEL_SHARED_EXPERT_AXES_H_
#define SAMEBITS_MODEL_SHARED_EXPERT_AXES_H_

#include "model/axis_table.h"
#include "model/contract.h"
#include "model/shared_expert/config.h"

namespace samebits::shared_expert {

const AxisTable<Config>& ConfigTable();
/// Throws as AxisTable::Read.
Config ReadConfig(const Settings& settings);
/// Every axis in canonical text: ReadConfig of it is the same configuration.
Settings WriteConfig(const Config& config);

}  // namespace samebits::shared_expert

#endif  // SAMEBITS_MODEL_SHARED_EXPERT_AXES_H_
