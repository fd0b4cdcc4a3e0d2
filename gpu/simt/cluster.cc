#include "gpu/simt/cluster.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <memory>
#include <utility>

#include "gpu/simt/access.h"
#include "gpu/simt/copies.h"
#include "gpu/simt/team.h"
#include "gpu/simt/warp.h"

namespace samebits::gpu::simt {
namespace {

void CompletePhase(ClusterBarrier& barrier, Team& team) {
  if (barrier.arrived < barrier.expected) return;
  barrier.arrived = 0;
  ++barrier.phase;
  barrier.completed.Set(barrier.gather.Take());
  barrier.completed_relaxed = barrier.relaxed_gather.Take();
  team.Wake(barrier.waiting);
  barrier.waiting.clear();
}

/// One arrival; a relaxed one is followed by no access that another thread may see.
void Arrive(Thread& self, bool release) {
  ClusterBarrier& barrier = self.block->cluster->barrier;
  if (self.cluster_arrived) {
    Fail(self, FaultKind::kBarrier, "arrives twice at one phase of the cluster barrier");
  }
  self.cluster_arrived = true;
  self.cluster_phases = barrier.phase;
  if (release) barrier.gather.Add(self.clock);
  barrier.relaxed_gather.Add(self.clock);
  ++barrier.arrived;
  CompletePhase(barrier, *self.team);
}

void Wait(Thread& self) {
  ClusterBarrier& barrier = self.block->cluster->barrier;
  if (!self.cluster_arrived) {
    Fail(self, FaultKind::kBarrier, "waits at the cluster barrier without having arrived");
  }
  if (barrier.phase == self.cluster_phases) {
    barrier.waiting.push_back(&self);
    self.wait = WaitFor::kSplitBarrier;
    self.team->Suspend(self);
  } else {
    self.team->Pause(self);
  }
  // The phase cannot have completed twice: this thread has not arrived again.
  self.cluster_arrived = false;
  barrier.completed.By(self.clock);
  self.cluster_relaxed = barrier.completed_relaxed;
}

/// The block of the mbarrier that counts bytes written to `target`.
void CheckSameBlock(Thread& self, const Block& target, const void* mbarrier) {
  if (target.shared.Contains(mbarrier, 8)) return;
  Fail(self, FaultKind::kBarrier, "names an mbarrier in another block than the bytes it counts");
}

void CheckRuns(const Thread& self, const Block& target) {
  if (target.running != 0) return;
  Fail(self, FaultKind::kUnfinished,
       fmt::format("writes to the shared memory of {}, which has ended", Describe(target)));
}

/// Bytes on their way to shared memory of a block.
class RemoteWrite : public AsyncWork {
 public:
  RemoteWrite(Block& target, std::byte* to, int64_t bytes, int64_t mbarrier)
      : target_(target), to_(to), bytes_(bytes), mbarrier_(mbarrier) {}
  bool Touches(const Block& block) const override { return &block == &target_; }

 protected:
  void Write(const Copy& copy, const std::byte* from) {
    CheckRuns(*copy.owner, target_);
    std::memcpy(to_, from, static_cast<size_t>(bytes_));
    if (copy.owner->block != &target_) target_.mbarriers.at(mbarrier_).remote = true;
    CompleteBytes(target_, mbarrier_, bytes_, copy.stamp, *copy.owner);
  }
  int64_t bytes() const { return bytes_; }

 private:
  Block& target_;
  std::byte* to_;
  int64_t bytes_;
  int64_t mbarrier_;
};

class RemoteStore : public RemoteWrite {
 public:
  RemoteStore(Block& target, std::byte* to, const void* value, int64_t bytes, int64_t mbarrier)
      : RemoteWrite(target, to, bytes, mbarrier) {
    std::memcpy(value_.data(), value, static_cast<size_t>(bytes));
  }
  void Complete(const Copy& copy) override { Write(copy, value_.data()); }

 private:
  std::array<std::byte, 16> value_{};
};

class RemoteCopy : public RemoteWrite {
 public:
  RemoteCopy(Block& source, const std::byte* from, Block& target, std::byte* to, int64_t bytes,
             int64_t mbarrier)
      : RemoteWrite(target, to, bytes, mbarrier), source_(source), from_(from) {}
  void Complete(const Copy& copy) override { Write(copy, from_); }
  bool Touches(const Block& block) const override {
    return &block == &source_ || RemoteWrite::Touches(block);
  }

 private:
  Block& source_;
  const std::byte* from_;
};

}  // namespace

void ClusterArrive(Thread& self, bool release, Where where) {
  Meet(self, FullMask(self), Collective::kCluster, nullptr, nullptr, where);
  Arrive(self, release);
}

void ClusterWait(Thread& self, Where where) {
  self.where = where;
  Wait(self);
}

void SyncCluster(Thread& self, Where where) {
  self.where = where;
  Arrive(self, true);
  Wait(self);
}

void LeaveCluster(Thread& self) {
  ClusterBarrier& barrier = self.block->cluster->barrier;
  if (self.cluster_arrived && barrier.phase == self.cluster_phases) --barrier.arrived;
  --barrier.expected;
  if (barrier.expected > 0 && barrier.arrived > 0) CompletePhase(barrier, *self.team);
}

std::byte* MapShared(Thread& self, const void* shared, int rank, Where where) {
  self.where = where;
  const Block& own = *self.block;
  const auto& blocks = own.cluster->blocks;
  if (rank < 0 || rank >= static_cast<int>(blocks.size())) {
    Fail(self, FaultKind::kOutOfBounds,
         fmt::format("names rank {} of a cluster of {}", rank, blocks.size()));
  }
  return blocks[static_cast<size_t>(rank)]->shared.data() + own.shared.OffsetOf(shared);
}

void StoreAsync(Thread& self, void* to, const void* value, int64_t bytes, void* mbarrier,
                Where where) {
  self.where = where;
  Block& target = SharedBlock(self, to, bytes, bytes);
  CheckRuns(self, target);
  CheckSameBlock(self, target, mbarrier);
  FindMbarrier(self, mbarrier);
  const Stamp stamp = NewBulkStamp(self);
  Report(self, target,
         target.shared.WriteByCopy(self.clock, target.shared.OffsetOf(to), bytes,
                                   {stamp, self.where.line()}, false),
         "starts a store to", bytes);
  StartWork(self,
            std::make_unique<RemoteStore>(target, static_cast<std::byte*>(to), value, bytes,
                                          target.shared.OffsetOf(mbarrier)),
            stamp);
  self.team->Pause(self);
}

void BulkCopyRemote(Thread& self, void* to, const void* shared, int64_t bytes, void* mbarrier,
                    Where where) {
  self.where = where;
  CheckBulkSize(self, bytes);
  Block& target = SharedBlock(self, to, bytes, 16);
  Block& source = SharedBlock(self, shared, bytes, 16);
  CheckRuns(self, target);
  CheckSameBlock(self, target, mbarrier);
  FindAsyncMbarrier(self, mbarrier);
  const Stamp stamp = NewBulkStamp(self);
  const Mark mark{stamp, self.where.line()};
  Report(self, source,
         source.shared.ReadByCopy(self.clock, source.shared.OffsetOf(shared), bytes, mark),
         "starts a copy from", bytes);
  Report(self, target,
         target.shared.WriteByCopy(self.clock, target.shared.OffsetOf(to), bytes, mark, true),
         "starts a copy to", bytes);
  StartWork(self,
            std::make_unique<RemoteCopy>(source, static_cast<const std::byte*>(shared), target,
                                         static_cast<std::byte*>(to), bytes,
                                         target.shared.OffsetOf(mbarrier)),
            stamp);
  self.team->Pause(self);
}

}  // namespace samebits::gpu::simt
