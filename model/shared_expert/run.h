// One case on the CPU model.
#ifndef SAMEBITS_MODEL_SHARED_EXPERT_RUN_H_
#define SAMEBITS_MODEL_SHARED_EXPERT_RUN_H_

#include "model/shared_expert/config.h"
#include "model/shared_expert/contract.h"
#include "model/shared_expert/math.h"
#include "model/shared_expert/operands.h"

namespace samebits::shared_expert {

/// All steps and ranks of the case, on up to `threads` threads. Operands must satisfy
/// CheckInputValues. Neither threads nor path changes a bit.
void RunCase(const Config& config, const Choices& choices, const Operands& operands,
             const Taps& taps, int threads, Path path = Path::kFast);

}  // namespace samebits::shared_expert

#endif  // SAMEBITS_MODEL_SHARED_EXPERT_RUN_H_
