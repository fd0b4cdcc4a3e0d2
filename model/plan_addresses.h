// Where the tensors of a plan lie once its allocations have addresses.
#ifndef SAMEBITS_MODEL_PLAN_ADDRESSES_H_
#define SAMEBITS_MODEL_PLAN_ADDRESSES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "model/kernel.h"

namespace samebits {

class PlanAddresses {
 public:
  /// `addresses`: one per allocation of the plan, else std::invalid_argument. `taps`: resolves
  /// taps, else inputs and outputs; the two may share names.
  PlanAddresses(MemoryPlan plan, std::span<void* const> addresses, bool taps);

  /// Null if the plan has no such tensor.
  template <typename T>
  T* At(std::string_view name) const {
    return static_cast<T*>(Address(name));
  }
  /// Elements between neighbouring indices of a dimension; 0 if the plan has no such tensor.
  int64_t Stride(std::string_view name, std::string_view dim) const;
  int64_t Stride(std::string_view name) const;  // of the first dimension

 private:
  void* Address(std::string_view name) const;
  const Operand* Find(std::string_view name) const;

  const MemoryPlan plan_;
  const std::span<void* const> addresses_;
  const bool taps_;
};

}  // namespace samebits

#endif  // SAMEBITS_MODEL_PLAN_ADDRESSES_H_
