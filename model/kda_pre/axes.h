// The configuration space of kda_pre as text.
#ifndef SAMEBITS_MODEL_KDA_PRE_AXES_H_
#define SAMEBITS_MODEL_KDA_PRE_AXES_H_

#include "model/axis_table.h"
#include "model/contract.h"
#include "model/kda_pre/config.h"

namespace samebits::kda_pre {

const AxisTable<Config>& ConfigTable();
/// Throws as AxisTable::Read.
Config ReadConfig(const Settings& settings);
/// Every axis in canonical text: ReadConfig of it is the same configuration.
Settings WriteConfig(const Config& config);

}  // namespace samebits::kda_pre

#endif  // SAMEBITS_MODEL_KDA_PRE_AXES_H_
