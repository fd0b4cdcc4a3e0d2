#include "gpu/simt/tcgen05.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "gpu/simt/access.h"
#include "gpu/simt/barriers.h"
#include "gpu/simt/products.h"
#include "gpu/simt/team.h"
#include "gpu/simt/warp.h"
#include "model/arith/float32.h"
#include "model/units/matrix_unit.h"

namespace samebits::gpu::simt {
namespace {

constexpr int kRows = 64;
constexpr int kWarpLanes = 32;

/// Tensor memory: row 16w + i of a product of 64 rows is in lane 32w + i.
size_t LaneOfRow(int row) { return static_cast<size_t>(row / 16 * kWarpLanes + row % 16); }

TensorMemory& MemoryOf(Block& block) {
  if (!block.tensor_memory) {
    block.tensor_memory = std::make_unique<TensorMemory>();
    for (auto& column : block.tensor_memory->columns) {
      column.cells.fill(arith::FromBits(kPending));
    }
  }
  return *block.tensor_memory;
}

/// Columns [first, first + count), all of one allocation.
TensorMemory::Column* Columns(const Thread& self, uint32_t tmem, int count) {
  TensorMemory& memory = MemoryOf(*self.block);
  const int first = static_cast<int>(tmem & 0xFFFF);
  const bool inside = count > 0 && first + count <= TensorMemory::kColumns;
  const auto at = memory.columns.begin() + (inside ? first : 0);
  if (!inside || at->allocation == 0 || !std::all_of(at, at + count, [&](const auto& column) {
        return column.allocation == at->allocation;
      })) {
    Fail(self, FaultKind::kOutOfBounds,
         fmt::format("uses columns {}..{} of tensor memory, which are not allocated together",
                     first, first + count - 1));
  }
  return &*at;
}

/// The stamp was known at the thread's last fence after a synchronisation.
bool Fenced(const Thread& self, Stamp stamp) {
  return self.tensor_fence_after && stamp.epoch <= self.tensor_fence_after->seen[stamp.actor];
}

void CheckAfterProduct(const Thread& self, const TensorMemory::Column& column, const char* what) {
  const Stamp write = column.write.stamp();
  if (write.epoch == 0) return;
  if (!self.clock.Sees(write)) {
    Fail(self, FaultKind::kRace,
         fmt::format("{} tensor memory, not ordered after the product of line {}", what,
                     column.write.line));
  }
  if (!Fenced(self, write)) {
    Fail(self, FaultKind::kProxy,
         fmt::format("{} tensor memory, with no tcgen05 fence after the wait for the product of "
                     "line {}",
                     what, column.write.line));
  }
}

/// A product may write the column: it was read, and the reads are complete and fenced.
void CheckAfterReads(const Thread& self, const TensorMemory::Column& column) {
  for (const Mark& read : column.reads) {
    if (read.epoch == 0 || read.actor == self.clock.actor) continue;
    if (!self.clock.Sees(read.stamp())) {
      Fail(self, FaultKind::kRace,
           fmt::format("starts a product onto tensor memory, not ordered after the read of line {}",
                       read.line));
    }
    const Thread& reader = self.block->cluster->threads[read.actor];
    if (!Fenced(self, read.stamp()) || reader.tensor_fence_before < read.epoch) {
      Fail(self, FaultKind::kProxy,
           fmt::format("starts a product onto tensor memory, with no tcgen05 fence between it and "
                       "the read of line {}",
                       read.line));
    }
  }
}

int ColumnsOf(const Thread& self, uint32_t instruction) {
  const auto field = [&](int low, int count) {
    return static_cast<int>(instruction >> low & ((1u << count) - 1));
  };
  const int n = field(17, 6) * 8;
  const bool legal = field(4, 2) == 1 && field(7, 3) == 1 && field(10, 3) == 1 &&
                     field(13, 4) == 0 && field(24, 5) * 16 == kRows && n >= 8 && n <= 256;
  if (!legal) {
    Fail(self, FaultKind::kOperand,
         fmt::format("gives a product the instruction descriptor {:#x}", instruction));
  }
  return n;
}

void Together(Thread& self, Where where) {
  Meet(self, FullMask(self), Collective::kTensorMemory, nullptr, nullptr, where);
}

void CheckColumnCount(const Thread& self, int columns) {
  if (std::has_single_bit(static_cast<unsigned>(columns)) && columns >= 32 &&
      columns <= TensorMemory::kColumns) {
    return;
  }
  Fail(self, FaultKind::kOperand, fmt::format("names {} columns of tensor memory", columns));
}

/// The first of that many free columns, -1 if there are none.
int FindFree(const TensorMemory& memory, int count) {
  for (int first = 0; first + count <= TensorMemory::kColumns; first += count) {
    const auto at = memory.columns.begin() + first;
    if (std::all_of(at, at + count, [](const auto& column) { return column.allocation == 0; })) {
      return first;
    }
  }
  return -1;
}

struct LoadOperand {
  Thread* self;
  float* r;
  int columns;
  uint32_t tmem;
};

void CombineLoad(void* const* operands, uint64_t, const Thread& last) {
  const auto& own = *static_cast<const LoadOperand*>(operands[last.lane]);
  Thread& self = *own.self;
  const int quarter = self.warp % TensorMemory::kWarps;
  if (static_cast<int>(own.tmem >> 16) != quarter * kWarpLanes) {
    Fail(self, FaultKind::kOperand,
         fmt::format("reads tensor memory from lane {}, but its warp reads from lane {}",
                     own.tmem >> 16, quarter * kWarpLanes));
  }
  TensorMemory::Column* column = Columns(self, own.tmem, own.columns);
  bool written = false;
  for (int i = 0; i < own.columns; ++i) {
    CheckAfterProduct(self, column[i], "reads");
    column[i].reads[static_cast<size_t>(quarter)] = self.mark();
    written |= column[i].written;
  }
  if (!written) {
    Fail(self, FaultKind::kUninitialised, "reads tensor memory that no product has written");
  }
  TensorRead read;
  read.column = static_cast<int>(own.tmem & 0xFFFF);
  read.columns = own.columns;
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    const auto& operand = *static_cast<const LoadOperand*>(operands[lane]);
    std::fill_n(operand.r, own.columns, arith::FromBits(kPending));
    read.registers[static_cast<size_t>(lane)] = operand.r;
  }
  QueueOf(self).reads.push_back(read);
}

void CombineLoadWait(void* const* operands, uint64_t, const Thread& last) {
  Thread& self = *static_cast<Thread*>(operands[last.lane]);
  MatrixQueue& queue = QueueOf(self);
  const auto& columns = MemoryOf(*self.block).columns;
  const int first = self.warp % TensorMemory::kWarps * kWarpLanes;
  for (const TensorRead& read : queue.reads) {
    for (int lane = 0; lane < kWarpLanes; ++lane) {
      for (int i = 0; i < read.columns; ++i) {
        read.registers[static_cast<size_t>(lane)][i] =
            columns[static_cast<size_t>(read.column + i)].cells[static_cast<size_t>(first + lane)];
      }
    }
  }
  queue.reads.clear();
}

void Multiply(Block& block, const Team& team, int column, int n, const Tile& a, const Tile& b,
              bool accumulate) {
  const std::vector<uint16_t> left = ReadTile(block.shared, a, 0, kRows);
  const std::vector<uint16_t> right = ReadTile(block.shared, b, 0, n);
  std::vector<float> values(static_cast<size_t>(kRows * n));
  auto* columns = MemoryOf(block).columns.data() + column;
  const auto for_cells = [&](const auto& visit) {
    for (int row = 0; row < kRows; ++row) {
      for (int j = 0; j < n; ++j) {
        visit(columns[j].cells[LaneOfRow(row)], values[static_cast<size_t>(row * n + j)]);
      }
    }
  };
  if (accumulate) for_cells([](float cell, float& value) { value = cell; });
  units::Gemm(team.units().tcgen05, {kRows, n, kProductK}, left.data(), kProductK, right.data(),
              kProductK, accumulate ? values.data() : nullptr, n, values.data(), n);
  for_cells([](float& cell, float value) { cell = value; });
}

}  // namespace

void TmemAllocate(Thread& self, uint32_t* shared, int columns, Where where) {
  Together(self, where);
  if (self.lane == 0) {
    CheckColumnCount(self, columns);
    TensorMemory& memory = MemoryOf(*self.block);
    if (memory.relinquished) {
      Fail(self, FaultKind::kBarrier, "allocates tensor memory after giving up the right to");
    }
    int first = FindFree(memory, columns);
    for (; first < 0; first = FindFree(memory, columns)) {
      memory.waiting.push_back(&self);
      self.wait = WaitFor::kTensorMemory;
      self.wait_object = columns;
      self.team->Suspend(self);
    }
    for (int i = 0; i < columns; ++i) {
      auto& column = memory.columns[static_cast<size_t>(first + i)];
      column = {};
      column.allocation = static_cast<uint16_t>(first + 1);
      column.cells.fill(arith::FromBits(kPending));
    }
    const auto address = static_cast<uint32_t>(first);
    CheckSharedStore(self, shared, sizeof(address), where);
    std::memcpy(shared, &address, sizeof(address));
  }
  Together(self, where);
}

void TmemRelinquish(Thread& self, Where where) {
  Together(self, where);
  MemoryOf(*self.block).relinquished = true;
}

void TmemFree(Thread& self, uint32_t tmem, int columns, Where where) {
  Together(self, where);
  if (self.lane == 0) {
    CheckColumnCount(self, columns);
    TensorMemory::Column* column = Columns(self, tmem, columns);
    TensorMemory& memory = MemoryOf(*self.block);
    const size_t end = static_cast<size_t>(tmem & 0xFFFF) + static_cast<size_t>(columns);
    const bool whole =
        column->allocation == (tmem & 0xFFFF) + 1 &&
        (end == memory.columns.size() || memory.columns[end].allocation != column->allocation);
    if (!whole) {
      Fail(self, FaultKind::kOperand, "frees tensor memory that was not allocated like this");
    }
    for (int i = 0; i < columns; ++i) {
      if (!self.clock.Sees(column[i].write.stamp()) && column[i].write.epoch != 0) {
        Fail(self, FaultKind::kRace,
             fmt::format("frees tensor memory, not ordered after the product of line {}",
                         column[i].write.line));
      }
      column[i] = {};
    }
    self.team->Wake(memory.waiting);
    memory.waiting.clear();
  }
  Together(self, where);
}

void TmemLoad(Thread& self, float* r, int columns, uint32_t tmem, Where where) {
  LoadOperand operand{&self, r, columns, tmem};
  Meet(self, FullMask(self), Collective::kTensorMemory, &operand, &CombineLoad, where);
}

void TmemLoadWait(Thread& self, Where where) {
  Meet(self, FullMask(self), Collective::kTensorMemory, &self, &CombineLoadWait, where);
}

void Tcgen05Mma(Thread& self, uint32_t d, uint64_t a, uint64_t b, uint32_t instruction,
                bool accumulate, Where where) {
  self.where = where;
  const int n = ColumnsOf(self, instruction);
  const Tile left = DecodeDescriptor(self, Descriptor::kTcgen05, a);
  const Tile right = DecodeDescriptor(self, Descriptor::kTcgen05, b);
  if (d >> 16 != 0) {
    Fail(self, FaultKind::kOperand, "gives a product tensor memory that does not begin in lane 0");
  }
  TensorMemory::Column* column = Columns(self, d, n);
  const Mark mark(NextProduct(self), self.where.line());
  CheckTileRead(self, left, 0, kRows, mark);
  CheckTileRead(self, right, 0, n, mark);
  for (int j = 0; j < n; ++j) {
    if (accumulate && !column[j].written) {
      Fail(self, FaultKind::kUninitialised,
           "adds a product to tensor memory that no product has written");
    }
    // Products of one warp run in order.
    if (column[j].write.actor != mark.actor) CheckAfterProduct(self, column[j], "overwrites");
    CheckAfterReads(self, column[j]);
    column[j].write = mark;
    column[j].reads = {};
    column[j].written = true;
  }
  QueueOf(self).known = self.clock.base;
  QueueOf(self).Push(
      self, [block = self.block, team = self.team, first = static_cast<int>(d), n, left, right,
             accumulate] { Multiply(*block, *team, first, n, left, right, accumulate); });
  self.team->Pause(self);
}

void Tcgen05Commit(Thread& self, void* mbarrier, Where where) {
  self.where = where;
  FindAsyncMbarrier(self, mbarrier);
  Block& block = SharedBlock(self, mbarrier, 8, 8);
  const Stamp stamp = NextProduct(self);
  // Products that are complete happened after all that their issuing thread had waited for: the
  // operands' loads, which those who wait for this arrival may not have seen.
  QueueOf(self).Push(
      self, [&self, &block, offset = block.shared.OffsetOf(mbarrier), stamp,
             known = QueueOf(self).known] { ArriveAsync(block, offset, stamp, self, known); });
  self.team->Pause(self);
}

void Tcgen05FenceBefore(Thread& self, Where where) {
  self.where = where;
  // A read that was not waited for is not ordered by a fence.
  if (QueueOf(self).reads.empty()) self.tensor_fence_before = self.clock.epoch;
}

void Tcgen05FenceAfter(Thread& self, Where where) {
  self.where = where;
  self.tensor_fence_after = self.clock.base;
}

void CheckNoProducts(Thread& self) {
  const auto& queue = self.block->warps[static_cast<size_t>(self.warp)].matrix;
  if (!queue) return;
  if (!queue->accumulators.empty()) {
    Fail(self, FaultKind::kUnfinished, "ends with matrix products that it never waited for");
  }
  if (!queue->reads.empty()) {
    Fail(self, FaultKind::kUnfinished, "ends with reads of tensor memory that it never waited for");
  }
}

void CheckBlockProducts(const Thread& last) {
  const Block& block = *last.block;
  for (size_t warp = 0; warp < block.warps.size(); ++warp) {
    const auto& queue = block.warps[warp].matrix;
    if (!queue) continue;
    if (!queue->idle()) {
      Fail(last, FaultKind::kUnfinished,
           fmt::format("ends the block, while matrix products of warp {} are under way", warp));
    }
    const size_t leader = warp - warp % 4;
    const auto& other = block.warps[leader].matrix;
    const uint32_t theirs = other ? other->products : 0;
    if (queue->products != theirs) {
      Fail(last, FaultKind::kBarrier,
           fmt::format("ends the block, whose warps {} and {} of one warpgroup made {} and {} "
                       "products",
                       warp, leader, queue->products, theirs));
    }
  }
  if (!block.tensor_memory) return;
  for (const auto& column : block.tensor_memory->columns) {
    if (column.allocation == 0) continue;
    Fail(last, FaultKind::kUnfinished,
         fmt::format("ends the block, which has not freed the tensor memory at column {}",
                     column.allocation - 1));
  }
}

}  // namespace samebits::gpu::simt
