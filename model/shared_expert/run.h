// One case on the CPU model.
#ifndef SAMEBITS_MODEL_SHARED_EXPERT_RUN_H_
#define SAMEBITS_MODEL_SHARED_EXPERT_RUN_H_

#include <span>

#include "model/shared_expert/config.h"
#include "model/shared_expert/contract.h"
#include "model/shared_expert/math.h"
#include "model/shared_expert/operands.h"

namespace samebits::shared_expert {

/// All steps and ranks of the case, on up to `threads` threads. Operands must satisfy
/// CheckInputValues. Neither threads nor path changes a bit.
void RunCase(const Config& config, const Choices& choices, const Operands& operands,
             const Taps& taps, int threads, Path path = Path::kFast);

/// Taps and outputs that are taken as given (StageRun in model/kernel.h); null where none is.
struct Given {
  Taps taps = {};
  Operands operands = {};
};

/// The same, stage by stage, for some of the ranks (indices of the rank dimension), or all where
/// none is named: a tap is computed, stored and replaced by the given one.
void RunStages(const Config& config, const Choices& choices, const Operands& operands,
               const Taps& taps, const Given& given, std::span<const int64_t> ranks, int threads);

}  // namespace samebits::shared_expert

#endif  // SAMEBITS_MODEL_SHARED_EXPERT_RUN_H_
