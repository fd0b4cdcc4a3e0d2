// One launch of the CPU model.
#ifndef SAMEBITS_MODEL_KDA_DECODE_RUN_H_
#define SAMEBITS_MODEL_KDA_DECODE_RUN_H_

#include "model/kda_decode/config.h"
#include "model/kda_decode/contract.h"
#include "model/kda_decode/math.h"
#include "model/kda_decode/operands.h"

namespace samebits::kda_decode {

/// Computes every item of the launch on up to `threads` threads. Operands must satisfy
/// CheckInputValues. Neither threads nor path changes a bit.
void RunLaunch(const Config& config, const Choices& choices, const Operands& operands,
               const Taps& taps, int threads, Path path = Path::kFast);

}  // namespace samebits::kda_decode

#endif  // SAMEBITS_MODEL_KDA_DECODE_RUN_H_
