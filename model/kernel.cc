#include "model/kernel.h"

namespace samebits {

std::vector<TensorSpec> Tensors(const MemoryPlan& plan) {
  std::vector<TensorSpec> specs;
  for (const Operand& operand : plan.operands) specs.push_back(operand.spec);
  for (const Operand& operand : plan.operands) {
    if (!operand.output) continue;
    specs.push_back(operand.spec);
    specs.back().role = Role::kOutput;
  }
  return specs;
}

}  // namespace samebits
