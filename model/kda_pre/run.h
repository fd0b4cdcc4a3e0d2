// All steps of a configuration, stage by stage (SPEC.md appendix A).
#ifndef SAMEBITS_MODEL_KDA_PRE_RUN_H_
#define SAMEBITS_MODEL_KDA_PRE_RUN_H_

#include "model/kda_pre/config.h"
#include "model/kda_pre/contract.h"
#include "model/kda_pre/math.h"
#include "model/kda_pre/operands.h"
#include "model/kda_pre/stages.h"

namespace samebits::kda_pre {

/// The bits depend neither on the number of threads nor on the path. Operands are checked
/// (CheckInputValues) by whoever made them.
void RunLaunch(const Config& config, const Choices& choices, const Operands& operands,
               const Taps& taps, int threads, Path path = Path::kFast);

/// The same, stage by stage, for some of the requests, or all where none is named: a tap is
/// computed, stored and replaced by the given one.
void RunStages(const Config& config, const Choices& choices, const Operands& operands,
               const Taps& taps, const Given& given, std::span<const int64_t> requests, int threads,
               Path path = Path::kFast);

}  // namespace samebits::kda_pre

#endif  // SAMEBITS_MODEL_KDA_PRE_RUN_H_
