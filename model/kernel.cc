#include "model/kernel.h"

namespace samebits {

Trace Kernel::TraceElement(const Settings&, const Contract&, const ElementRef&,
                           const ElementSource&) const {
  throw ConfigError(std::string(name()) + ": this kernel does not say how an element is computed");
}

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
