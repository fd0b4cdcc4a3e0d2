// The computation of one element of a tap or output, operation by operation (SPEC.md 4).
#ifndef SAMEBITS_MODEL_SHARED_EXPERT_TRACE_H_
#define SAMEBITS_MODEL_SHARED_EXPERT_TRACE_H_

#include "model/shared_expert/config.h"
#include "model/shared_expert/contract.h"
#include "model/trace.h"

namespace samebits::shared_expert {

/// From inputs and the taps before it. Throws ConfigError for an unknown tensor or an index outside
/// it.
Trace TraceOf(const Config& config, const Choices& choices, const ElementRef& element,
              const ElementSource& source);

}  // namespace samebits::shared_expert

#endif  // SAMEBITS_MODEL_SHARED_EXPERT_TRACE_H_
