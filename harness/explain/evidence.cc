#include "harness/explain/evidence.h"

namespace samebits::harness {

std::vector<TensorSpec> ResultsOf(const Kernel& kernel, const Settings& config) {
  std::vector<TensorSpec> specs;
  const MemoryPlan plan = kernel.Plan(config, true);
  const auto add = [&](Role role, bool in_place) {
    for (const Operand& operand : plan.operands) {
      if (operand.spec.role != role || operand.output != in_place) continue;
      specs.push_back(operand.spec);
      if (in_place) specs.back().role = Role::kOutput;
    }
  };
  add(Role::kTap, false);
  add(Role::kInput, true);
  add(Role::kOutput, false);
  return specs;
}

}  // namespace samebits::harness
