#include "model/plan_addresses.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace samebits {

PlanAddresses::PlanAddresses(MemoryPlan plan, std::span<void* const> addresses, bool taps)
    : plan_(std::move(plan)), addresses_(addresses), taps_(taps) {
  if (addresses.size() != plan_.allocations.size()) {
    throw std::invalid_argument("one address per allocation of the plan expected");
  }
}

int64_t PlanAddresses::Stride(std::string_view name, std::string_view dim) const {
  const Operand* operand = Find(name);
  if (operand == nullptr) return 0;
  const auto at = std::ranges::find(operand->spec.dims, dim) - operand->spec.dims.begin();
  return operand->strides.at(at) / static_cast<int64_t>(SizeOf(operand->spec.dtype));
}

int64_t PlanAddresses::Stride(std::string_view name) const {
  const Operand* operand = Find(name);
  return operand == nullptr ? 0 : Stride(name, operand->spec.dims.front());
}

void* PlanAddresses::Address(std::string_view name) const {
  const Operand* operand = Find(name);
  if (operand == nullptr) return nullptr;
  return static_cast<std::byte*>(addresses_[operand->allocation]) + operand->offset;
}

const Operand* PlanAddresses::Find(std::string_view name) const {
  const auto found = std::ranges::find_if(plan_.operands, [&](const Operand& operand) {
    return operand.spec.name == name && (operand.spec.role == Role::kTap) == taps_;
  });
  return found == plan_.operands.end() ? nullptr : &*found;
}

}  // namespace samebits
