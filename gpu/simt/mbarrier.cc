#include <fmt/format.h>

#include <utility>

#include "gpu/simt/access.h"
#include "gpu/simt/barriers.h"
#include "gpu/simt/team.h"

namespace samebits::gpu::simt {
namespace {

constexpr int64_t kObjectBytes = 8;
constexpr int64_t kMaxCount = (1 << 20) - 1;  // of arrivals and of bytes

void CompletePhase(Mbarrier& m, Team& team) {
  if (m.pending != 0 || m.bytes != 0) return;
  m.completed.Set(m.gather.Take());
  m.completed_remote = std::exchange(m.remote, false);
  ++m.phase;
  m.pending = m.count;
  team.Wake(m.waiting);
  m.waiting.clear();
}

}  // namespace

Mbarrier& FindMbarrier(Thread& self, const void* barrier) {
  Block& block = SharedBlock(self, barrier, kObjectBytes, kObjectBytes);
  const int64_t offset = block.shared.OffsetOf(barrier);
  const auto found = block.mbarriers.find(offset);
  if (found == block.mbarriers.end()) {
    Fail(self, FaultKind::kUninitialised,
         fmt::format("uses an mbarrier at {:#x} that was not initialised", offset));
  }
  const Mbarrier& m = found->second;
  // An initialisation with a fence needs no more than a relaxed barrier of the cluster behind it.
  const bool relaxed =
      m.fenced && self.cluster_relaxed && m.init.epoch <= self.cluster_relaxed->seen[m.init.actor];
  if (!relaxed && !self.clock.Sees(m.init)) {
    Fail(self, FaultKind::kRace,
         fmt::format("uses the mbarrier at {:#x}, not ordered after its initialisation", offset));
  }
  return found->second;
}

Mbarrier& FindAsyncMbarrier(Thread& self, const void* barrier) {
  Mbarrier& m = FindMbarrier(self, barrier);
  if (!m.fenced && !self.clock.SeesFenced(m.init)) {
    Fail(self, FaultKind::kProxy,
         "gives a bulk copy an mbarrier with no fence after its initialisation");
  }
  return m;
}

void MbarrierInit(Thread& self, void* barrier, int count, Where where) {
  self.where = where;
  Block& block = SharedBlock(self, barrier, kObjectBytes, kObjectBytes);
  const int64_t offset = block.shared.OffsetOf(barrier);
  if (count < 1 || count > kMaxCount) {
    Fail(self, FaultKind::kBarrier, fmt::format("gives an mbarrier {} arrivals", count));
  }
  if (block.mbarriers.contains(offset)) {
    Fail(self, FaultKind::kBarrier, fmt::format("initialises the mbarrier at {:#x} again", offset));
  }
  Report(self, block, block.shared.Write(self.clock, offset, kObjectBytes, self.mark()),
         "initialises", kObjectBytes);
  block.shared.MarkBarrierObject(offset, kObjectBytes);
  Mbarrier& m = block.mbarriers.emplace(offset, &block.cluster->arena).first->second;
  m.count = m.pending = count;
  m.init = self.clock.now();
}

void MbarrierInitFence(Thread& self, Where where) {
  self.where = where;
  for (const auto& block : self.block->cluster->blocks) {
    for (auto& [offset, m] : block->mbarriers) m.fenced |= m.init.actor == self.clock.actor;
  }
}

void MbarrierArrive(Thread& self, void* barrier, int64_t bytes, Where where) {
  self.where = where;
  Mbarrier& m = FindMbarrier(self, barrier);
  if (bytes < 0 || m.bytes + bytes > kMaxCount) {
    Fail(self, FaultKind::kBarrier,
         fmt::format("makes an mbarrier expect {} bytes", m.bytes + bytes));
  }
  if (m.pending == 0) {
    Fail(self, FaultKind::kBarrier,
         fmt::format("arrives at an mbarrier that has its {} arrivals already and waits for {} "
                     "bytes",
                     m.count, m.bytes));
  }
  m.bytes += bytes;
  --m.pending;
  m.gather.Add(self.clock);
  m.remote |= !self.block->shared.Contains(barrier, kObjectBytes);
  CompletePhase(m, *self.team);
  self.team->Pause(self);
}

void MbarrierWait(Thread& self, void* barrier, int parity, Where where, bool cluster) {
  self.where = where;
  Mbarrier& m = FindMbarrier(self, barrier);
  // Woken threads look again, as the hardware's do: a barrier that ran two phases ahead keeps them.
  while ((m.phase & 1) == static_cast<uint64_t>(parity & 1)) {
    m.waiting.push_back(&self);
    self.wait = WaitFor::kMbarrier;
    self.wait_object = self.block->shared.OffsetOf(barrier);
    self.wait_detail = parity & 1;
    self.team->Suspend(self);
  }
  if (m.completed_remote && !cluster) {
    Fail(
        self, FaultKind::kRace,
        fmt::format("waits with the scope of a block at the mbarrier at {:#x}, where another block "
                    "of the cluster arrived or stored",
                    self.block->shared.OffsetOf(barrier)));
  }
  m.completed.By(self.clock);
}

void CompleteBytes(Block& block, int64_t offset, int64_t bytes, Stamp stamp, const Thread& owner) {
  Mbarrier& m = block.mbarriers.at(offset);
  if (m.bytes - bytes < -kMaxCount) {
    Fail(owner, FaultKind::kBarrier,
         fmt::format("copies {} bytes more than the mbarrier at {:#x} expects", bytes - m.bytes,
                     offset));
  }
  m.bytes -= bytes;
  m.gather.Add(stamp);
  CompletePhase(m, *owner.team);
}

void ArriveAsync(Block& block, int64_t offset, Stamp stamp, const Thread& owner,
                 const ClockRef& known) {
  Mbarrier& m = block.mbarriers.at(offset);
  if (m.pending == 0) {
    Fail(owner, FaultKind::kBarrier,
         fmt::format(
             "arrives, by asynchronous work, at an mbarrier that has its {} arrivals already "
             "and waits for {} bytes",
             m.count, m.bytes));
  }
  --m.pending;
  m.gather.Add(stamp);
  if (known) m.gather.Add(known);
  CompletePhase(m, *owner.team);
}

}  // namespace samebits::gpu::simt
