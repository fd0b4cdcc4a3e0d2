// The computation of one element of a tap or output, operation by operation (SPEC.md 3).
#ifndef SAMEBITS_MODEL_KDA_DECODE_TRACE_H_
#define SAMEBITS_MODEL_KDA_DECODE_TRACE_H_

#include "model/kda_decode/config.h"
#include "model/kda_decode/contract.h"
#include "model/trace.h"

namespace samebits::kda_decode {

/// From inputs and the taps before it. Throws ConfigError for an unknown tensor or an index outside
/// it.
Trace TraceOf(const Config& config, const Choices& choices, const ElementRef& element,
              const ElementSource& source);

}  // namespace samebits::kda_decode

#endif  // SAMEBITS_MODEL_KDA_DECODE_TRACE_H_
