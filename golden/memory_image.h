// The memory of one launch on the host: every allocation of a plan between guard zones, poisoned
// wherever no input is. The model runs in it; for a device, whole allocations are copied to and
// fro.
#ifndef SAMEBITS_GOLDEN_MEMORY_IMAGE_H_
#define SAMEBITS_GOLDEN_MEMORY_IMAGE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "model/kernel.h"

namespace samebits::golden {

/// Bytes that a launch changed although no element that it may write is there.
struct Trespass {
  std::string
      where;  // "guard zone before state", "guard zone after state", "gaps of state", "input x"
  int64_t offset = 0;  // of the first changed byte, from the start of the allocation
  int64_t bytes = 0;   // changed bytes
  bool operator==(const Trespass&) const = default;
};

class MemoryImage {
 public:
  static constexpr int64_t kGuardBytes = 4096;  // before and after each allocation
  static constexpr int64_t kAlignment = 4096;   // of the start of each allocation

  /// Everything is poisoned: elements of taps and outputs with PoisonBits of their type, all other
  /// bytes with the 16-bit pattern 0xFFA5 (a NaN as bf16 and as f32). Throws std::invalid_argument
  /// if operands overlap or leave their allocation.
  explicit MemoryImage(const MemoryPlan& plan);

  size_t allocations() const { return blocks_.size(); }
  /// Start of allocation i, for Kernel::Run.
  std::vector<void*> addresses();
  /// Allocation i with both guard zones: kGuardBytes + bytes rounded up to even + kGuardBytes. A
  /// device buffer of this size holds the allocation at kGuardBytes.
  std::span<std::byte> block(size_t i);
  std::span<const std::byte> block(size_t i) const;

  /// Poison everywhere again.
  void Poison();
  /// Puts the elements of a tensor of the plan in place; kOutput finds in-place operands too.
  /// Throws std::invalid_argument: not in the plan, or another type or shape.
  void Scatter(const Tensor& tensor);
  /// The operand that holds a tensor. Throws std::invalid_argument: not in the plan.
  const Operand& Find(Role role, std::string_view name) const;
  /// The elements of a tensor, dense. Role kOutput finds in-place operands too.
  Tensor Gather(Role role, std::string_view name) const;
  /// Taps in dataflow order, then outputs.
  TensorSet GatherResults() const;
  /// Compares guard zones and gaps with the poison, and inputs that are not updated in place with
  /// `inputs`. One entry per place.
  std::vector<Trespass> CheckUntouched(const TensorSet& inputs) const;

 private:
  struct Interval {
    int64_t begin, end;  // bytes of an allocation
  };
  struct Block {
    std::unique_ptr<std::byte, void (*)(void*)> memory{nullptr, nullptr};
    int64_t bytes = 0;           // of the allocation
    int64_t size = 0;            // with guard zones
    std::vector<Interval> gaps;  // covered by no operand
  };
  std::byte* start(int allocation) const { return blocks_[allocation].memory.get() + kGuardBytes; }
  void AddGaps(int allocation);

  MemoryPlan plan_;
  std::vector<Block> blocks_;
};

}  // namespace samebits::golden

#endif  // SAMEBITS_GOLDEN_MEMORY_IMAGE_H_
