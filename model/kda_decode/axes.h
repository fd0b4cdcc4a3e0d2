// The configuration space of kda_decode as text.
#ifndef SAMEBITS_MODEL_KDA_DECODE_AXES_H_
#define SAMEBITS_MODEL_KDA_DECODE_AXES_H_

#include "model/axis_table.h"
#include "model/contract.h"
#include "model/kda_decode/config.h"

namespace samebits::kda_decode {

const AxisTable<Config>& ConfigTable();
/// Throws as AxisTable::Read.
Config ReadConfig(const Settings& settings);
/// Every axis in canonical text: ReadConfig of it is the same configuration.
Settings WriteConfig(const Config& config);

}  // namespace samebits::kda_decode

#endif  // SAMEBITS_MODEL_KDA_DECODE_AXES_H_
