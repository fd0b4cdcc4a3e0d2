// One launch of the CPU model.
#ifndef SAMEBITS_MODEL_KDA_DECODE_RUN_H_
#define SAMEBITS_MODEL_KDA_DECODE_RUN_H_

#include <span>

#include "model/kda_decode/config.h"
#include "model/kda_decode/contract.h"
#include "model/kda_decode/math.h"
#include "model/kda_decode/operands.h"
#include "model/kda_decode/stages.h"

namespace samebits::kda_decode {

/// Computes every item of the launch on up to `threads` threads. Operands must satisfy
/// CheckInputValues. Neither threads nor path changes a bit.
void RunLaunch(const Config& config, const Choices& choices, const Operands& operands,
               const Taps& taps, int threads, Path path = Path::kFast);

/// The same, stage by stage, for some of the items (n = request * heads + head), or all where none
/// is named: a tap is computed, stored and replaced by the given one.
void RunStages(const Config& config, const Choices& choices, const Operands& operands,
               const Taps& taps, const Given& given, std::span<const int64_t> items, int threads,
               Path path = Path::kFast);

}  // namespace samebits::kda_decode

#endif  // SAMEBITS_MODEL_KDA_DECODE_RUN_H_
