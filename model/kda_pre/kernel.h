// kda_pre behind the interface of model/kernel.h.
#ifndef SAMEBITS_MODEL_KDA_PRE_KERNEL_H_
#define SAMEBITS_MODEL_KDA_PRE_KERNEL_H_

#include "model/contract.h"
#include "model/kda_pre/config.h"
#include "model/kernel.h"

namespace samebits::kda_pre {

const Kernel& GetKernel();
/// Reads a complete configuration (Kernel::Complete) into the struct.
Config ParseConfig(const Settings& config);

}  // namespace samebits::kda_pre

#endif  // SAMEBITS_MODEL_KDA_PRE_KERNEL_H_
