#include "gpu/simt/registers.h"

#include <fmt/format.h>

#include <bit>

#include "gpu/simt/block.h"
#include "gpu/simt/team.h"
#include "gpu/simt/warp.h"

namespace samebits::gpu::simt {
namespace {

enum class Direction : uint8_t { kDecrease, kIncrease };

struct Change {
  Direction direction;
  int registers;  // per thread, afterwards
  bool operator==(const Change&) const = default;
};

const char* NameOf(Direction direction) {
  return direction == Direction::kDecrease ? "a decrease" : "an increase";
}

[[noreturn]] void FailOfOperand(const Thread& self, Change change, const std::string& why) {
  Fail(self, FaultKind::kOperand,
       fmt::format("asks for {} to {} registers per thread, {}", NameOf(change.direction),
                   change.registers, why));
}

void CheckDirection(const Thread& self, const Warp& warp, Change change) {
  const bool right = change.direction == Direction::kDecrease ? change.registers <= warp.registers
                                                              : change.registers >= warp.registers;
  if (!right) FailOfOperand(self, change, fmt::format("but its warp holds {}", warp.registers));
}

/// By the last lane of a warp that has come.
void CheckChange(void* const* operands, uint64_t mask, const Thread& last) {
  const auto of = [&](int lane) { return *static_cast<const Change*>(operands[lane]); };
  const int first = std::countr_zero(mask);
  for (uint64_t rest = mask & (mask - 1); rest != 0; rest &= rest - 1) {
    const Change other = of(std::countr_zero(rest));
    if (other == of(first)) continue;
    FailOfOperand(last, other,
                  fmt::format("but lane {} of its warp for {} to {}", first,
                              NameOf(of(first).direction), of(first).registers));
  }
  if (last.block->grid->shape.registers == 0) return;
  CheckDirection(last, last.block->warps[static_cast<size_t>(last.warp)], of(first));
}

/// By each lane of a warp that has met: the first one that finds enough registers moves them for
/// all.
void Move(Thread& self, int registers) {
  Warp& warp = self.block->warps[static_cast<size_t>(self.warp)];
  RegisterPool& pool = self.block->registers;
  while (pool.free < registers - warp.registers) {
    pool.waiting.push_back(&self);
    self.wait = WaitFor::kRegisters;
    self.wait_object = registers - warp.registers;
    self.team->Suspend(self);
  }
  const int freed = warp.registers - registers;
  warp.registers = registers;
  pool.free += freed;
  if (freed <= 0) return;
  self.team->Wake(pool.waiting);
  pool.waiting.clear();
}

void SetRegisters(Thread& self, Change change, Where where) {
  self.where = where;
  if (change.registers < 24 || change.registers > 256 || change.registers % 8 != 0) {
    FailOfOperand(self, change, "which is not a multiple of 8 from 24 to 256");
  }
  Meet(self, FullMask(self), Collective::kRegisters, &change, &CheckChange, where);
  if (self.block->grid->shape.registers == 0) return;
  Move(self, change.registers);
}

}  // namespace

void DecreaseRegisters(Thread& self, int registers, Where where) {
  SetRegisters(self, {Direction::kDecrease, registers}, where);
}

void IncreaseRegisters(Thread& self, int registers, Where where) {
  SetRegisters(self, {Direction::kIncrease, registers}, where);
}

}  // namespace samebits::gpu::simt
