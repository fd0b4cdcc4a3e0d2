// kda_decode behind the interface of model/kernel.h.
#ifndef SAMEBITS_MODEL_KDA_DECODE_KERNEL_H_
#define SAMEBITS_MODEL_KDA_DECODE_KERNEL_H_

#include "model/contract.h"
#include "model/kda_decode/config.h"
#include "model/kernel.h"

namespace samebits::kda_decode {

const Kernel& GetKernel();
/// Reads a complete configuration (Kernel::Complete) into the struct.
Config ParseConfig(const Settings& config);

}  // namespace samebits::kda_decode

#endif  // SAMEBITS_MODEL_KDA_DECODE_KERNEL_H_
