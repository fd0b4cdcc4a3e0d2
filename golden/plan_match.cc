#include "golden/plan_match.h"

#include <algorithm>
#include <set>
#include <utility>

namespace samebits::golden {

std::vector<PlanMismatch> MatchPlan(Schema schema, const CaseEntry& entry,
                                    const std::vector<TensorSpec>& plan) {
  std::vector<PlanMismatch> mismatches;
  const auto add = [&mismatches](const TensorSpec& spec, const char* expected) {
    mismatches.push_back({std::string(GroupName(spec.role)) + "/" + spec.name, expected});
  };
  std::set<std::pair<Role, std::string>> seen;
  for (const TensorEntry& tensor : entry.tensors) {
    const TensorSpec& spec = tensor.spec;
    const auto planned = std::find_if(plan.begin(), plan.end(), [&spec](const TensorSpec& p) {
      return p.role == spec.role && p.name == spec.name;
    });
    if (!seen.emplace(spec.role, spec.name).second) {
      add(spec, "expected once");
    } else if (planned == plan.end()) {
      add(spec, "extra: not a tensor of the kernel");
    } else if (*planned != spec) {
      add(spec, "expected the type, dimensions and shape of the kernel");
    }
  }
  if (schema == Schema::kObserved) return mismatches;
  for (const TensorSpec& spec : plan) {
    if (!seen.contains({spec.role, spec.name})) add(spec, "missing");
  }
  return mismatches;
}

}  // namespace samebits::golden
