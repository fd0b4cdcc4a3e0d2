#include "gpu/simt/access.h"

#include <fmt/format.h>

#include "gpu/simt/block.h"
#include "gpu/simt/dependency.h"
#include "gpu/simt/handover.h"
#include "gpu/simt/team.h"

namespace samebits::gpu::simt {
namespace {

bool Aligned(const void* address, int64_t alignment) {
  return (reinterpret_cast<uintptr_t>(address) & static_cast<uintptr_t>(alignment - 1)) == 0;
}

bool Overlap(const void* a, int64_t a_bytes, const void* b, int64_t b_bytes) {
  const auto* p = static_cast<const std::byte*>(a);
  const auto* q = static_cast<const std::byte*>(b);
  return p < q + b_bytes && q < p + a_bytes;
}

std::string DescribeActor(const Cluster& cluster, const Mark& mark) {
  const int threads = static_cast<int>(cluster.threads.size());
  const int actor = mark.actor;
  if (actor > cluster.grid_actor()) return fmt::format("the product of line {}", mark.line);
  if (actor >= cluster.first_bulk_actor())
    return fmt::format("the bulk copy of line {}", mark.line);
  const Thread& thread = cluster.threads[static_cast<size_t>(actor % threads)];
  return fmt::format("{}{} at line {}", actor >= threads ? "the asynchronous copy of " : "",
                     Describe(thread), mark.line);
}

/// Copies in flight that a global access must not meet.
void CheckBulkOverlap(Thread& self, const void* address, int64_t bytes, bool store) {
  for (const Copy* copy : self.team->copies().bulk()) {
    const bool writes_it =
        copy->kind == Copy::Kind::kBulkStore && Overlap(address, bytes, copy->to, copy->bytes);
    const bool reads_it = store && copy->kind == Copy::Kind::kBulkLoad &&
                          Overlap(address, bytes, copy->from, copy->bytes);
    if (!writes_it && !reads_it) continue;
    Fail(self, FaultKind::kRace,
         fmt::format("{} {} bytes of global memory that a bulk {} of {} still {}",
                     store ? "writes" : "reads", bytes, writes_it ? "store" : "load",
                     Describe(*copy->owner), writes_it ? "writes" : "reads"));
  }
}

bool KnowsStores(const Grid& grid) { return grid.shape.co_resident || grid.together(); }

void CheckGlobal(Thread& self, const void* address, int64_t bytes, GlobalUse use, Where where) {
  self.where = where;
  const bool store = use == GlobalUse::kStore || use == GlobalUse::kAtomicStore;
  CheckGlobalRange(self, address, bytes, bytes, use);
  if (!self.team->copies().bulk().empty()) CheckBulkOverlap(self, address, bytes, store);
  Grid& grid = *self.block->grid;
  if (store && KnowsStores(grid)) grid.stores.Note(address, bytes);
}

}  // namespace

void Report(const Thread& self, const Block& block, const Conflict& conflict, const char* access,
            int64_t bytes) {
  if (!conflict) return;
  const std::string what =
      fmt::format("{} {} bytes of shared memory at {:#x}", access, bytes, conflict.offset);
  switch (conflict.kind) {
    case Conflict::Kind::kUnwritten:
      Fail(self, FaultKind::kUninitialised, what + ", which no one has written");
    case Conflict::Kind::kBarrierObject:
      Fail(self, FaultKind::kBarrier, what + ", where an mbarrier is");
    case Conflict::Kind::kUnordered:
      Fail(self, FaultKind::kRace,
           fmt::format("{}, not ordered after the {} by {}", what,
                       conflict.by_write ? "write" : "read",
                       DescribeActor(*block.cluster, conflict.earlier)));
    case Conflict::Kind::kUnfenced:
      Fail(self, FaultKind::kProxy,
           fmt::format("{}, with no proxy fence after the write by {}", what,
                       DescribeActor(*block.cluster, conflict.earlier)));
    case Conflict::Kind::kNone:
      return;
  }
}

Block& SharedBlock(Thread& self, const void* address, int64_t bytes, int64_t alignment) {
  Block* holder = nullptr;
  if (self.block->shared.Contains(address, bytes)) {
    holder = self.block;
  } else {
    for (const auto& block : self.block->cluster->blocks) {
      if (block->shared.Contains(address, bytes)) holder = block.get();
    }
  }
  if (!holder) {
    Fail(self, FaultKind::kOutOfBounds,
         fmt::format("accesses {} bytes at {:#x} of {} bytes of shared memory", bytes,
                     self.block->shared.OffsetOf(address), self.block->shared.bytes()));
  }
  if (!Aligned(address, alignment)) {
    Fail(self, FaultKind::kMisaligned,
         fmt::format("accesses {} bytes of shared memory at {:#x}, which is no multiple of {}",
                     bytes, holder->shared.OffsetOf(address), alignment));
  }
  return *holder;
}

void CheckGlobalRange(Thread& self, const void* address, int64_t bytes, int64_t alignment,
                      GlobalUse use) {
  Team& team = *self.team;
  const GlobalMemory::Range* range = team.memory().Find(address, bytes, self.memory_hint);
  if (!range) {
    Fail(self, FaultKind::kOutOfBounds,
         fmt::format("accesses {} bytes of global memory at {}", bytes,
                     team.memory().Locate(address)));
  }
  if (!Aligned(address, alignment)) {
    Fail(self, FaultKind::kMisaligned,
         fmt::format(
             "accesses {} bytes of global memory at {}, an address that is no multiple of {}",
             bytes, team.memory().Locate(address), alignment));
  }
  if (Handover* handover = team.handover()) {
    handover->Use(self, *range, address, bytes, use);
  } else if (self.block->grid->shape.dependent && !range->constant && !HasWaitedForGrid(self)) {
    Fail(self, FaultKind::kRace, kBeforeTheWait);
  }
}

void CheckGlobalFence(Thread& self, const void* address, int64_t bytes) {
  const Grid& grid = *self.block->grid;
  if (!KnowsStores(grid)) return;
  if (grid.stores.Last(address, bytes) > self.global_fence) {
    Fail(
        self, FaultKind::kProxy,
        fmt::format("starts a copy from global memory at {}, with no proxy fence for global memory "
                    "after a store of this launch",
                    self.team->memory().Locate(address)));
  }
}

void CheckSharedLoad(Thread& self, const void* address, int64_t bytes, Where where,
                     bool unwritten_too) {
  self.where = where;
  Block& block = SharedBlock(self, address, bytes, bytes);
  Report(self, block,
         block.shared.Read(self.clock, block.shared.OffsetOf(address), bytes, self.mark(),
                           unwritten_too),
         "reads", bytes);
}

void CheckSharedStore(Thread& self, const void* address, int64_t bytes, Where where) {
  self.where = where;
  Block& block = SharedBlock(self, address, bytes, bytes);
  Report(self, block,
         block.shared.Write(self.clock, block.shared.OffsetOf(address), bytes, self.mark()),
         "writes", bytes);
}

void CheckGlobalLoad(Thread& self, const void* address, int64_t bytes, Where where) {
  CheckGlobal(self, address, bytes, GlobalUse::kLoad, where);
}

void CheckGlobalStore(Thread& self, const void* address, int64_t bytes, Where where) {
  CheckGlobal(self, address, bytes, GlobalUse::kStore, where);
}

void CheckAtomicLoad(Thread& self, const void* address, int64_t bytes, Where where) {
  CheckGlobal(self, address, bytes, GlobalUse::kAtomicLoad, where);
}

void CheckAtomicStore(Thread& self, const void* address, int64_t bytes, Where where) {
  CheckGlobal(self, address, bytes, GlobalUse::kAtomicStore, where);
}

}  // namespace samebits::gpu::simt
