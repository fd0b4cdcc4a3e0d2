#include "model/kernel.h"

namespace samebits {

Trace Kernel::TraceElement(const Settings&, const Contract&, const ElementRef&,
                           const ElementSource&) const {
  throw ConfigError(std::string(name()) + ": this kernel does not say how an element is computed");
}

TensorSpec TracedSpec(const MemoryPlan& plan, std::string_view kernel, const ElementRef& element) {
  for (const TensorSpec& spec : Tensors(plan)) {
    const bool result = spec.role != Role::kInput;
    if (!result || spec.role != element.role || spec.name != element.tensor) continue;
    if (element.index >= 0 && element.index < spec.elements()) return spec;
    throw ConfigError(spec.name + ": index " + std::to_string(element.index) + " is outside its " +
                      std::to_string(spec.elements()) + " elements");
  }
  throw ConfigError(element.tensor + ": " + std::string(kernel) + " has no such tap or output");
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
