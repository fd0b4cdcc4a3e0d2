// The computation of one element of a tap or output, operation by operation (SPEC.md 4).
#ifndef SAMEBITS_MODEL_KDA_PRE_TRACE_H_
#define SAMEBITS_MODEL_KDA_PRE_TRACE_H_

#include "model/kda_pre/config.h"
#include "model/kda_pre/contract.h"
#include "model/trace.h"

namespace samebits::kda_pre {

/// From the inputs of the last step and the taps before it. Throws ConfigError for an unknown
/// tensor or an index outside it.
Trace TraceOf(const Config& config, const Choices& choices, const ElementRef& element,
              const ElementSource& source);

}  // namespace samebits::kda_pre

#endif  // SAMEBITS_MODEL_KDA_PRE_TRACE_H_
