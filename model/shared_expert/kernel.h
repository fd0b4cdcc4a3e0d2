// shared_expert behind the interface of model/kernel.h.
#ifndef SAMEBITS_MODEL_SHARED_EXPERT_KERNEL_H_
#define SAMEBITS_MODEL_SHARED_EXPERT_KERNEL_H_

#include "model/kernel.h"

namespace samebits::shared_expert {

const Kernel& GetKernel();

}  // namespace samebits::shared_expert

#endif  // SAMEBITS_MODEL_SHARED_EXPERT_KERNEL_H_
