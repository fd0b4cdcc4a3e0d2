#include "gpu/simt/products.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <utility>

#include "gpu/simt/access.h"
#include "gpu/simt/copies.h"
#include "gpu/simt/team.h"
#include "gpu/simt/tensor_map.h"
#include "gpu/simt/warp.h"
#include "model/arith/float32.h"
#include "model/units/matrix_unit.h"

namespace samebits::gpu::simt {
namespace {

constexpr int kWarpRows = 16;
constexpr int64_t kChunk = 16;

uint64_t Field(uint64_t bits, int low, int count) {
  return bits >> low & ((uint64_t{1} << count) - 1);
}

/// The next work of a queue, done when the schedule says so.
class MatrixStep : public AsyncWork {
 public:
  explicit MatrixStep(MatrixQueue& queue) : queue_(queue) {}
  void Complete(const Copy& copy) override {
    queue_.RunOne();
    if (!queue_.idle()) {
      StartWork(*copy.owner, std::make_unique<MatrixStep>(queue_), {});
    } else {
      queue_.set_step_started(false);
    }
  }
  // Work that is left at a block's end is found by its own rules.
  bool Touches(const Block&) const override { return false; }

 private:
  MatrixQueue& queue_;
};

struct WgmmaOperand {
  Thread* self;
  float* d;
  int n;
  const uint32_t* registers;  // of A; null: `a` describes it
  uint64_t a, b;
  bool accumulate;
};

/// Calls visit(lane, index in d, row, column) for the fragments of a warp.
template <typename Visit>
void ForFragments(int n, const Visit& visit) {
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < n / 8; ++i) {
      for (int e = 0; e < 4; ++e) {
        visit(lane, 4 * i + e, lane / 4 + 8 * (e / 2), 8 * i + 2 * (lane % 4) + e % 2);
      }
    }
  }
}

/// The accumulators behind the registers; on the first product they leave the registers.
Accumulators& Take(Thread& self, MatrixQueue& queue, void* const* operands, int n) {
  const auto& first = *static_cast<const WgmmaOperand*>(operands[0]);
  for (Accumulators& known : queue.accumulators) {
    if (known.registers[0] == first.d && known.columns == n) return known;
  }
  if (!queue.fenced) {
    Fail(self, FaultKind::kProxy,
         "starts a product on registers with no wgmma fence after their last use");
  }
  Accumulators taken;
  taken.columns = n;
  taken.values.resize(static_cast<size_t>(kWarpRows * n));
  for (size_t lane = 0; lane < 32; ++lane) {
    taken.registers[lane] = static_cast<const WgmmaOperand*>(operands[lane])->d;
  }
  ForFragments(n, [&](int lane, int index, int row, int column) {
    float& value = taken.registers[static_cast<size_t>(lane)][index];
    taken.values[static_cast<size_t>(row * n + column)] = value;
    value = arith::FromBits(kPending);
  });
  queue.accumulators.push_back(std::move(taken));
  return queue.accumulators.back();
}

/// Rows of A as [16][16] bf16 bits, at the moment at which the product runs.
using RowsOfA = std::function<std::vector<uint16_t>()>;

RowsOfA RowsOfTile(Thread& self, uint64_t descriptor, Mark mark) {
  const Tile tile = DecodeDescriptor(self, Descriptor::kWgmma, descriptor);
  const int first = kWarpRows * (self.warp % 4);
  CheckTileRead(self, tile, first, kWarpRows, mark);
  return
      [block = self.block, tile, first] { return ReadTile(block->shared, tile, first, kWarpRows); };
}

RegisterOperand ReadRegisters(void* const* operands) {
  RegisterOperand read;
  for (size_t lane = 0; lane < 32; ++lane) {
    read.registers[lane] = static_cast<const WgmmaOperand*>(operands[lane])->registers;
    std::copy_n(read.registers[lane], 4, read.values[lane].begin());
  }
  return read;
}

[[noreturn]] void FailOfChange(const Thread& self, const RegisterOperand& operand) {
  Fail(self, FaultKind::kProxy,
       fmt::format("has changed a register that the product of line {}, in flight, reads",
                   operand.line));
}

/// Faults unless the registers are ordered before the next product. Other values than an earlier
/// product read, with no fence since, were written behind the last fence.
void UseRegisters(Thread& self, MatrixQueue& queue, const RegisterOperand& now) {
  auto known = std::find_if(
      queue.register_operands.begin(), queue.register_operands.end(),
      [&](const RegisterOperand& other) { return other.registers[0] == now.registers[0]; });
  const bool found = known != queue.register_operands.end();
  const bool changed = found && known->values != now.values;
  if (changed && known->last > queue.waited) FailOfChange(self, *known);
  if (changed || (!found && !queue.fenced)) {
    Fail(self, FaultKind::kProxy,
         "starts a product that reads registers with no wgmma fence after their last use");
  }
  if (!found) known = queue.register_operands.insert(known, now);
  known->last = queue.next();
  known->line = self.where.line();
}

RowsOfA RowsOfRegisters(const RegisterOperand::Values& values) {
  std::vector<uint16_t> rows(kWarpRows * kProductK);
  ForFragments(kProductK, [&](int lane, int half, int row, int k) {
    const uint32_t pair = values[static_cast<size_t>(lane)][static_cast<size_t>(half / 2)];
    rows[static_cast<size_t>(row * kProductK + k)] = static_cast<uint16_t>(pair >> 16 * (half % 2));
  });
  return [rows = std::move(rows)] { return rows; };
}

RowsOfA TakeA(Thread& self, MatrixQueue& queue, void* const* operands, Mark mark) {
  const auto& own = *static_cast<const WgmmaOperand*>(operands[0]);
  if (!own.registers) return RowsOfTile(self, own.a, mark);
  const RegisterOperand read = ReadRegisters(operands);
  UseRegisters(self, queue, read);
  return RowsOfRegisters(read.values);
}

void CombineWgmma(void* const* operands, uint64_t mask, const Thread& last) {
  if (mask != 0xFFFFFFFFu) {
    Fail(last, FaultKind::kBarrier, "needs a warp of 32 lanes for a matrix product");
  }
  const auto& own = *static_cast<const WgmmaOperand*>(operands[last.lane]);
  for (int lane = 0; lane < 32; ++lane) {
    const auto& other = *static_cast<const WgmmaOperand*>(operands[lane]);
    if (!other.registers != !own.registers || other.a != own.a || other.b != own.b ||
        other.n != own.n || other.accumulate != own.accumulate) {
      Fail(last, FaultKind::kOperand, "and its warp give a product different operands");
    }
  }
  Thread& self = *own.self;
  MatrixQueue& queue = QueueOf(self);
  const int n = own.n;
  const Mark mark(NextProduct(self), self.where.line());
  const RowsOfA a = TakeA(self, queue, operands, mark);
  const Tile b = DecodeDescriptor(self, Descriptor::kWgmma, own.b);
  CheckTileRead(self, b, 0, n, mark);
  Accumulators& to = Take(self, queue, operands, n);
  to.last = queue.next();
  ++queue.products;
  queue.Push(self, [&queue, block = self.block, team = self.team, a, b, n,
                    registers = own.accumulate, d = to.registers[0]] {
    const auto found =
        std::find_if(queue.accumulators.begin(), queue.accumulators.end(),
                     [&](const Accumulators& known) { return known.registers[0] == d; });
    float* values = found->values.data();
    const std::vector<uint16_t> left = a();
    const std::vector<uint16_t> right = ReadTile(block->shared, b, 0, n);
    units::Gemm(team->units().wgmma, {kWarpRows, n, kProductK}, left.data(), kProductK,
                right.data(), kProductK, registers ? values : nullptr, n, values, n);
  });
}

struct WaitOperand {
  Thread* self;
  int pending;
};

/// The lanes have waited for everything up to that number.
void Acquire(void* const* operands, Thread& self, uint32_t number) {
  Gather gather(&self.block->cluster->arena);
  gather.Add(Stamp{number, static_cast<uint16_t>(self.block->cluster->matrix_actor(self))});
  simt::Acquire acquire;
  acquire.Set(gather.Take());
  for (int lane = 0; lane < 32; ++lane) {
    acquire.By(static_cast<const WaitOperand*>(operands[lane])->self->clock);
  }
}

/// All lanes are in the wait: the registers of a kernel that keeps them until here exist.
void CheckRegistersInFlight(const MatrixQueue& queue, void* const* operands) {
  for (const RegisterOperand& operand : queue.register_operands) {
    if (operand.last <= queue.waited) continue;
    for (size_t lane = 0; lane < 32; ++lane) {
      const auto& values = operand.values[lane];
      if (std::equal(values.begin(), values.end(), operand.registers[lane])) continue;
      FailOfChange(*static_cast<const WaitOperand*>(operands[lane])->self, operand);
    }
  }
}

void CombineWait(void* const* operands, uint64_t, const Thread& last) {
  const auto& own = *static_cast<const WaitOperand*>(operands[last.lane]);
  Thread& self = *own.self;
  MatrixQueue& queue = QueueOf(self);
  CheckRegistersInFlight(queue, operands);
  const size_t pending = static_cast<size_t>(own.pending);
  if (queue.groups.size() <= pending) return;
  const uint32_t number = queue.groups[queue.groups.size() - 1 - pending];
  queue.RunTo(number);
  queue.waited = std::max(queue.waited, number);
  std::erase_if(queue.accumulators, [&](const Accumulators& done) {
    if (done.last > number) return false;
    ForFragments(done.columns, [&](int lane, int index, int row, int column) {
      done.registers[static_cast<size_t>(lane)][index] =
          done.values[static_cast<size_t>(row * done.columns + column)];
    });
    queue.fenced = false;
    return true;
  });
  Acquire(operands, self, number);
}

}  // namespace

void MatrixQueue::Push(Thread& self, std::function<void()> work) {
  work_.push_back(std::move(work));
  ++issued_;
  if (step_started_) return;
  step_started_ = true;
  StartWork(self, std::make_unique<MatrixStep>(*this), {});
}

void MatrixQueue::RunOne() {
  if (work_.empty()) return;
  const std::function<void()> work = std::move(work_.front());
  work_.pop_front();
  work();
}

void MatrixQueue::RunTo(uint32_t number) {
  while (!work_.empty() && issued_ - static_cast<uint32_t>(work_.size()) < number) RunOne();
}

int64_t Tile::ChunkAt(int row, int chunk) const {
  return Swizzle128(start + row / 8 * stride + row % 8 * 128 + chunk * kChunk);
}

uint64_t MakeDescriptor(Thread& self, Descriptor kind, const void* shared) {
  const uint64_t layout =
      kind == Descriptor::kWgmma ? uint64_t{1} << 62 : uint64_t{2} << 61 | uint64_t{1} << 46;
  const auto offset = static_cast<uint64_t>(self.block->shared.OffsetOf(shared));
  return layout | uint64_t{64} << 32 | uint64_t{1} << 16 | (offset & 0x3FFFF) >> 4;
}

Tile DecodeDescriptor(const Thread& self, Descriptor kind, uint64_t descriptor) {
  const bool swizzled = kind == Descriptor::kWgmma
                            ? Field(descriptor, 62, 2) == 1
                            : Field(descriptor, 61, 3) == 2 && Field(descriptor, 46, 3) == 1;
  if (!swizzled || Field(descriptor, 49, 3) != 0) {
    Fail(self, FaultKind::kOperand,
         fmt::format("gives a product a descriptor {:#x}, which is not one of a tile with 128-byte "
                     "swizzle",
                     descriptor));
  }
  return {static_cast<int64_t>(Field(descriptor, 0, 14) * 16),
          static_cast<int64_t>(Field(descriptor, 32, 14) * 16)};
}

void CheckTileRead(Thread& self, const Tile& tile, int first, int rows, Mark mark) {
  SharedMemory& shared = self.block->shared;
  for (int row = first; row < first + rows; ++row) {
    for (int chunk = 0; chunk < 2; ++chunk) {
      const int64_t at = tile.ChunkAt(row, chunk);
      if (at + kChunk > shared.bytes()) {
        Fail(self, FaultKind::kOutOfBounds,
             fmt::format("starts a product of 16 bytes at {:#x} of {} bytes of shared memory", at,
                         shared.bytes()));
      }
      Report(self, *self.block, shared.ReadByCopy(self.clock, at, kChunk, mark),
             "starts a product of", kChunk);
    }
  }
}

std::vector<uint16_t> ReadTile(const SharedMemory& shared, const Tile& tile, int first, int rows) {
  std::vector<uint16_t> values(static_cast<size_t>(rows * kProductK));
  for (int row = 0; row < rows; ++row) {
    for (int chunk = 0; chunk < 2; ++chunk) {
      std::memcpy(values.data() + row * kProductK + chunk * 8,
                  shared.data() + tile.ChunkAt(first + row, chunk), kChunk);
    }
  }
  return values;
}

MatrixQueue& QueueOf(Thread& self) {
  auto& queue = self.block->warps[static_cast<size_t>(self.warp)].matrix;
  if (!queue) queue = std::make_unique<MatrixQueue>();
  return *queue;
}

Stamp NextProduct(Thread& self) {
  return {QueueOf(self).next(), static_cast<uint16_t>(self.block->cluster->matrix_actor(self))};
}

void Wgmma(Thread& self, float* d, int n, uint64_t a, uint64_t b, bool accumulate, Where where) {
  WgmmaOperand operand{&self, d, n, nullptr, a, b, accumulate};
  Meet(self, FullMask(self), Collective::kAsyncMma, &operand, &CombineWgmma, where);
}

void Wgmma(Thread& self, float* d, int n, const uint32_t* a, uint64_t b, bool accumulate,
           Where where) {
  WgmmaOperand operand{&self, d, n, a, 0, b, accumulate};
  Meet(self, FullMask(self), Collective::kAsyncMma, &operand, &CombineWgmma, where);
}

// Every product is a meeting of the warp: what one lane does between two, all have done.
void WgmmaFence(Thread& self, Where where) {
  self.where = where;
  if (self.lane != 0) return;
  MatrixQueue& queue = QueueOf(self);
  queue.fenced = true;
  std::erase_if(queue.register_operands,
                [&](const RegisterOperand& operand) { return operand.last <= queue.waited; });
}

void WgmmaCommit(Thread& self, Where where) {
  self.where = where;
  if (self.lane != 0) return;
  MatrixQueue& queue = QueueOf(self);
  queue.groups.push_back(queue.issued());
}

void WgmmaWait(Thread& self, int pending, Where where) {
  WaitOperand operand{&self, pending};
  Meet(self, FullMask(self), Collective::kAsyncMma, &operand, &CombineWait, where);
}

}  // namespace samebits::gpu::simt
