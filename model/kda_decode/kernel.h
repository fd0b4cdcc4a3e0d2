// kda_decode behind the interface of model/kernel.h.
#ifndef SAMEBITS_MODEL_KDA_DECODE_KERNEL_H_
#define SAMEBITS_MODEL_KDA_DECODE_KERNEL_H_

#include "model/kernel.h"

namespace samebits::kda_decode {

const Kernel& GetKernel();

}  // namespace samebits::kda_decode

#endif  // SAMEBITS_MODEL_KDA_DECODE_KERNEL_H_
