// What is known about one diverging case: what should have been computed, and what was observed.
#ifndef SAMEBITS_HARNESS_EXPLAIN_EVIDENCE_H_
#define SAMEBITS_HARNESS_EXPLAIN_EVIDENCE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "golden/ranges.h"
#include "model/kernel.h"
#include "model/tensor.h"

namespace samebits::harness {

using golden::Range;

/// A tap or output as it was observed.
struct Observation {
  Tensor values;               // as the plan has it; what was not captured holds PoisonBits
  std::vector<Range> covered;  // what was captured, ascending
};

struct Evidence {
  const Kernel* kernel = nullptr;
  Settings config;    // complete
  Contract contract;  // what should have been computed
  TensorSet inputs;
  TensorSet golden_inputs;            // of those that were captured, and captured with other bits
  std::vector<Observation> observed;  // taps in dataflow order, operands updated in place, outputs
};

/// Taps in dataflow order, then what is updated in place, then the other outputs: a state comes
/// before what is computed from it.
std::vector<TensorSpec> ResultsOf(const Kernel& kernel, const Settings& config);

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_EXPLAIN_EVIDENCE_H_
