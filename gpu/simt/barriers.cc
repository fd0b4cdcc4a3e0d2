#include "gpu/simt/barriers.h"

#include <fmt/format.h>

#include "gpu/simt/team.h"

namespace samebits::gpu::simt {
namespace {

/// The barrier, after every check of one more arrival. Apart from Join for the sake of its stack
/// frame: what a frame of a waiting thread covers has to be in the cache when it goes on.
[[gnu::noinline]] NamedBarrier& CheckedJoin(Thread& self, int id, int count, Where where) {
  const LaunchShape& shape = self.block->grid->shape;
  if (id < 0 || id >= kNamedBarriers) {
    Fail(self, FaultKind::kBarrier, fmt::format("names barrier {} of {}", id, kNamedBarriers));
  }
  const int warps = (shape.threads + shape.warp_size - 1) / shape.warp_size;
  if (count <= 0 || count % shape.warp_size != 0 || count > warps * shape.warp_size) {
    if (count != shape.threads) {
      Fail(self, FaultKind::kBarrier,
           fmt::format("gives barrier {} {} threads: not whole warps of a block of {}", id, count,
                       shape.threads));
    }
  }
  NamedBarrier& barrier = self.block->barriers[static_cast<size_t>(id)];
  if (barrier.arrived == 0) {
    barrier.expected = count;
    barrier.where = where;
  } else if (barrier.expected != count) {
    Fail(self, FaultKind::kBarrier,
         fmt::format("gives barrier {} {} threads, {} gave it {}", id, count,
                     Describe(barrier.where), barrier.expected));
  }
  return barrier;
}

/// The barrier, with one more arrival that may be made.
NamedBarrier& Join(Thread& self, int id, int count, Where where) {
  self.where = where;
  if (id >= 0 && id < kNamedBarriers) {
    // What the first arrival was checked for holds for all that agree with it.
    NamedBarrier& barrier = self.block->barriers[static_cast<size_t>(id)];
    if (barrier.arrived != 0 && barrier.expected == count) return barrier;
  }
  return CheckedJoin(self, id, count, where);
}

/// One arrival; true if it was the last one: the others are awake then.
bool Arrive(Thread& self, NamedBarrier& barrier, bool waits) {
  barrier.gather.Add(self.clock);
  if (++barrier.arrived < barrier.expected) return false;
  const ClockRef sum = barrier.gather.Take();
  barrier.arrived = 0;
  if (waits) self.clock.base = sum;
  for (Thread* thread : barrier.waiting) thread->clock.base = sum;
  self.team->Wake(barrier.waiting);
  barrier.waiting.clear();
  return true;
}

void SyncSplit(Thread& self, SplitBarrier& barrier, size_t cluster, Where where) {
  self.where = where;
  barrier.gathers[cluster].Add(self.clock);
  barrier.waiting.push_back(&self);
  if (++barrier.arrived < barrier.expected) {
    self.wait = WaitFor::kSplitBarrier;
    self.team->Suspend(self);
    return;
  }
  std::vector<ClockRef> sums;
  for (Gather& gather : barrier.gathers) sums.push_back(gather.Take());
  barrier.arrived = 0;
  const int first = self.block->grid->first_cluster;
  const bool one_cluster = sums.size() == 1;
  for (Thread* thread : barrier.waiting) {
    const int at = one_cluster ? 0 : thread->block->cluster->index - first;
    thread->clock.base = sums[static_cast<size_t>(at)];
    if (thread != &self) self.team->Wake(*thread);
  }
  barrier.waiting.clear();
  self.team->Pause(self);
}

}  // namespace

void BarrierSync(Thread& self, int id, int count, Where where) {
  NamedBarrier& barrier = Join(self, id, count, where);
  if (Arrive(self, barrier, true)) {
    self.team->Pause(self);
    return;
  }
  barrier.waiting.push_back(&self);
  self.wait = WaitFor::kNamedBarrier;
  self.wait_object = id;
  self.team->Suspend(self);
}

void BarrierArrive(Thread& self, int id, int count, Where where) {
  Arrive(self, Join(self, id, count, where), false);
  self.team->Pause(self);
}

void SyncGrid(Thread& self, Where where) {
  self.where = where;
  Grid& grid = *self.block->grid;
  if (!grid.shape.co_resident) {
    Fail(self, FaultKind::kBarrier, "comes to a grid barrier of a launch that is not co-resident");
  }
  SyncSplit(self, grid.barrier,
            static_cast<size_t>(self.block->cluster->index - grid.first_cluster), where);
}

}  // namespace samebits::gpu::simt
