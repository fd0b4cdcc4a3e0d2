// kda_pre behind the interface of model/kernel.h.
#ifndef SAMEBITS_MODEL_KDA_PRE_KERNEL_H_
#define SAMEBITS_MODEL_KDA_PRE_KERNEL_H_

#include "model/kernel.h"

namespace samebits::kda_pre {

const Kernel& GetKernel();

}  // namespace samebits::kda_pre

#endif  // SAMEBITS_MODEL_KDA_PRE_KERNEL_H_
