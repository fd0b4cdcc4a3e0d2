// shared_expert behind the interface of model/kernel.h.
#ifndef SAMEBITS_MODEL_SHARED_EXPERT_KERNEL_H_
#define SAMEBITS_MODEL_SHARED_EXPERT_KERNEL_H_

#include "model/contract.h"
#include "model/kernel.h"
#include "model/shared_expert/config.h"

namespace samebits::shared_expert {

const Kernel& GetKernel();
/// Reads a complete configuration (Kernel::Complete) into the struct.
Config ParseConfig(const Settings& config);

}  // namespace samebits::shared_expert

#endif  // SAMEBITS_MODEL_SHARED_EXPERT_KERNEL_H_
