// Does a case hold the tensors that the kernel's plan has?
#ifndef SAMEBITS_GOLDEN_PLAN_MATCH_H_
#define SAMEBITS_GOLDEN_PLAN_MATCH_H_

#include <string>
#include <vector>

#include "golden/dataset.h"
#include "model/tensor.h"

namespace samebits::golden {

struct PlanMismatch {
  std::string tensor;    // "outputs/y"
  std::string expected;  // "missing", "extra: not a tensor of the kernel", ...
};

/// `plan`: Tensors(kernel.Plan(entry.config, taps of the file)). An observed case may hold any
/// subset; nothing may be there twice or look otherwise. In the order of the case, then missing
/// ones in the order of the plan.
std::vector<PlanMismatch> MatchPlan(Schema schema, const CaseEntry& entry,
                                    const std::vector<TensorSpec>& plan);

}  // namespace samebits::golden

#endif  // SAMEBITS_GOLDEN_PLAN_MATCH_H_
