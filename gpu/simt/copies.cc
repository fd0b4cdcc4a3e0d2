#include "gpu/simt/copies.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "gpu/simt/access.h"
#include "gpu/simt/barriers.h"
#include "gpu/simt/team.h"

namespace samebits::gpu::simt {
namespace {

constexpr int64_t kGranule = 16;  // alignment of addresses and sizes

bool InBulk(const Copy& copy) {
  return copy.kind == Copy::Kind::kBulkLoad || copy.kind == Copy::Kind::kBulkStore;
}

Mark MarkOf(const Thread& self, Stamp stamp) { return {stamp, self.where.line()}; }

class CopyArrival : public AsyncWork {
 public:
  CopyArrival(Block& block, int64_t mbarrier, uint32_t epoch)
      : block_(block), mbarrier_(mbarrier), epoch_(epoch) {}
  void Complete(const Copy& copy) override {
    Thread& owner = *copy.owner;
    for (Copy* earlier : owner.copies) {
      if (earlier->epoch <= epoch_) owner.team->copies().Finish(*earlier);
    }
    ArriveAsync(block_, mbarrier_, {epoch_, owner.clock.copies_actor}, owner);
  }
  bool Touches(const Block& block) const override { return &block == &block_; }

 private:
  Block& block_;
  int64_t mbarrier_;
  uint32_t epoch_;
};

}  // namespace

Stamp NewBulkStamp(Thread& self) {
  Cluster& cluster = *self.block->cluster;
  while (cluster.free_bulk_actors.empty()) self.team->copies().FinishAnyOf(cluster);
  const uint16_t actor = cluster.free_bulk_actors.back();
  cluster.free_bulk_actors.pop_back();
  return {++cluster.bulk_epochs[static_cast<size_t>(actor - cluster.first_bulk_actor())], actor};
}

void CheckBulkSize(Thread& self, int64_t bytes) {
  if (bytes <= 0 || bytes % kGranule != 0) {
    Fail(self, FaultKind::kMisaligned,
         fmt::format("copies {} bytes in bulk, no multiple of {}", bytes, kGranule));
  }
}

Copy* StartWork(Thread& self, std::unique_ptr<AsyncWork> work, Stamp stamp) {
  Copy copy;
  copy.kind = Copy::Kind::kWork;
  copy.owner = &self;
  copy.stamp = stamp;
  copy.waited = true;
  copy.work = std::move(work);
  return self.team->copies().Start(std::move(copy));
}

Copy* CopyQueue::Start(Copy copy) {
  if (free_.empty()) free_.push_back(all_.emplace_back(std::make_unique<Copy>()).get());
  Copy* record = free_.back();
  free_.pop_back();
  *record = std::move(copy);
  record->place = pending_.size();
  pending_.push_back(record);
  if (InBulk(*record)) bulk_.push_back(record);
  return record;
}

void CopyQueue::StepAny(Random& random) {
  Copy& copy = *pending_[random.Below(static_cast<uint32_t>(pending_.size()))];
  if (copy.kind == Copy::Kind::kBulkStore && !copy.has_read) {
    FinishRead(copy);
  } else {
    Finish(copy);
  }
}

void CopyQueue::FinishRead(Copy& copy) {
  if (copy.has_read) return;
  copy.has_read = true;
  copy.read.assign(copy.from, copy.from + copy.bytes);
}

void CopyQueue::Finish(Copy& copy) {
  if (copy.done) return;
  copy.done = true;
  Remove(copy);
  const auto size = static_cast<size_t>(copy.bytes);
  if (copy.kind == Copy::Kind::kWork) {
    copy.work->Complete(copy);
    copy.work.reset();
  } else if (copy.kind == Copy::Kind::kBulkStore) {
    FinishRead(copy);
    std::memcpy(copy.to, copy.read.data(), size);
  } else {
    std::memcpy(copy.to, copy.from, size);
  }
  if (copy.stamp.epoch != 0) {
    copy.owner->block->cluster->free_bulk_actors.push_back(copy.stamp.actor);
  }
  if (copy.kind == Copy::Kind::kBulkLoad) {
    CompleteBytes(*copy.target, copy.mbarrier, copy.bytes, copy.stamp, *copy.owner);
  }
  if (copy.waited) free_.push_back(&copy);
}

void CopyQueue::Release(Copy* copy) {
  copy->waited = true;
  if (copy->done) free_.push_back(copy);
}

void CopyQueue::FinishAnyOf(const Cluster& cluster) {
  for (Copy* copy : pending_) {
    if (copy->stamp.epoch == 0 || copy->owner->block->cluster != &cluster) continue;
    return Finish(*copy);
  }
}

void CopyQueue::FinishAllOf(const Grid& grid) {
  // Work that completes may finish other work.
  for (size_t i = pending_.size(); i-- > 0; i = std::min(i, pending_.size())) {
    if (pending_[i]->owner->block->grid == &grid) Finish(*pending_[i]);
  }
}

void CopyQueue::CheckBlockEnd(const Thread& last) const {
  for (const Copy* copy : pending_) {
    if (copy->kind != Copy::Kind::kWork || !copy->work->Touches(*last.block)) continue;
    Fail(last, FaultKind::kUnfinished,
         fmt::format("ends the block, whose shared memory asynchronous work of {} still accesses",
                     Describe(*copy->owner)));
  }
}

void CopyQueue::Remove(Copy& copy) {
  pending_[copy.place] = pending_.back();
  pending_[copy.place]->place = copy.place;
  pending_.pop_back();
  if (InBulk(copy)) std::erase(bulk_, &copy);
}

void CopyAsync16(Thread& self, void* shared, const void* global, Where where) {
  self.where = where;
  Block& block = SharedBlock(self, shared, kGranule, kGranule);
  CheckGlobalRange(self, global, kGranule, kGranule, GlobalUse::kLoad);
  const Stamp stamp{self.copy_epoch, self.clock.copies_actor};
  Report(self, block,
         block.shared.WriteByCopy(self.clock, block.shared.OffsetOf(shared), kGranule,
                                  MarkOf(self, stamp), false),
         "starts a copy to", kGranule);
  Copy copy;
  copy.owner = &self;
  copy.from = static_cast<const std::byte*>(global);
  copy.to = static_cast<std::byte*>(shared);
  copy.bytes = kGranule;
  copy.group = self.copy_group;
  copy.epoch = self.copy_epoch;
  self.copies.push_back(self.team->copies().Start(std::move(copy)));
}

void CopyAsyncCommit(Thread& self, Where where) {
  self.where = where;
  ++self.copy_group;
  ++self.copy_epoch;
  self.team->Pause(self);
}

void CopyAsyncWait(Thread& self, uint32_t pending, Where where) {
  self.where = where;
  const uint32_t committed = self.copy_group - 1;
  const uint32_t last = committed > pending ? committed - pending : 0;
  std::erase_if(self.copies, [&](Copy* copy) {
    if (copy->group > last) return false;
    self.clock.copies_done = std::max(self.clock.copies_done, copy->epoch);
    self.team->copies().Finish(*copy);
    self.team->copies().Release(copy);
    return true;
  });
  self.team->Pause(self);
}

void CopyAsyncArrive(Thread& self, void* mbarrier, Where where) {
  self.where = where;
  FindMbarrier(self, mbarrier);
  CopyQueue& copies = self.team->copies();
  std::erase_if(self.copies, [&](Copy* copy) {
    if (!copy->tracked || !copy->done) return false;
    copies.Release(copy);
    return true;
  });
  for (Copy* copy : self.copies) copy->tracked = true;
  Block& block = SharedBlock(self, mbarrier, 8, 8);
  StartWork(
      self,
      std::make_unique<CopyArrival>(block, block.shared.OffsetOf(mbarrier), self.copy_epoch++), {});
  self.team->Pause(self);
}

void BulkLoad(Thread& self, void* shared, const void* global, int64_t bytes, void* mbarrier,
              Where where) {
  self.where = where;
  CheckBulkSize(self, bytes);
  Block& block = SharedBlock(self, shared, bytes, kGranule);
  CheckGlobalRange(self, global, bytes, kGranule, GlobalUse::kLoad);
  FindAsyncMbarrier(self, mbarrier);
  CheckGlobalFence(self, global, bytes);
  const Stamp stamp = NewBulkStamp(self);
  Report(self, block,
         block.shared.WriteByCopy(self.clock, block.shared.OffsetOf(shared), bytes,
                                  MarkOf(self, stamp), true),
         "starts a copy to", bytes);
  Copy copy;
  copy.kind = Copy::Kind::kBulkLoad;
  copy.owner = &self;
  copy.target = &SharedBlock(self, mbarrier, 8, 8);
  copy.from = static_cast<const std::byte*>(global);
  copy.to = static_cast<std::byte*>(shared);
  copy.bytes = bytes;
  copy.stamp = stamp;
  copy.mbarrier = copy.target->shared.OffsetOf(mbarrier);
  copy.waited = true;  // through the mbarrier
  self.team->copies().Start(std::move(copy));
  self.team->Pause(self);
}

void BulkStore(Thread& self, void* global, const void* shared, int64_t bytes, Where where) {
  self.where = where;
  CheckBulkSize(self, bytes);
  Block& block = SharedBlock(self, shared, bytes, kGranule);
  CheckGlobalRange(self, global, bytes, kGranule, GlobalUse::kStore);
  const Stamp stamp = NewBulkStamp(self);
  Report(self, block,
         block.shared.ReadByCopy(self.clock, block.shared.OffsetOf(shared), bytes,
                                 MarkOf(self, stamp)),
         "starts a copy from", bytes);
  Copy copy;
  copy.kind = Copy::Kind::kBulkStore;
  copy.owner = &self;
  copy.from = static_cast<const std::byte*>(shared);
  copy.to = static_cast<std::byte*>(global);
  copy.bytes = bytes;
  copy.group = self.bulk_group;
  copy.stamp = stamp;
  self.bulk_stores.push_back(self.team->copies().Start(std::move(copy)));
  self.team->Pause(self);
}

void BulkCommit(Thread& self, Where where) {
  self.where = where;
  ++self.bulk_group;
  self.team->Pause(self);
}

void BulkWait(Thread& self, uint32_t pending, bool all, Where where) {
  self.where = where;
  const uint32_t committed = self.bulk_group - 1;
  const uint32_t last = committed > pending ? committed - pending : 0;
  CopyQueue& copies = self.team->copies();
  Gather gather(&self.block->cluster->arena);
  for (Copy* copy : self.bulk_stores) {
    if (copy->group > last || (copy->read_waited && !all)) continue;
    if (all) copies.Finish(*copy);
    copies.FinishRead(*copy);
    copy->read_waited = true;
    gather.Add(copy->stamp);
  }
  if (!gather.empty()) {
    gather.Add(self.clock.base);
    self.clock.base = gather.Take();
  }
  if (all) {
    std::erase_if(self.bulk_stores, [&](Copy* copy) {
      if (copy->group > last) return false;
      copies.Release(copy);
      return true;
    });
  }
  self.team->Pause(self);
}

void FenceProxyAsync(Thread& self, Where where) {
  self.where = where;
  self.clock.FenceProxy();
}

void CheckNoCopies(Thread& self) {
  const auto left = std::count_if(self.copies.begin(), self.copies.end(),
                                  [](const Copy* copy) { return !copy->tracked; });
  if (left != 0) {
    Fail(self, FaultKind::kUnfinished,
         fmt::format("ends with {} asynchronous copies that it never waited for", left));
  }
  for (Copy* copy : self.bulk_stores) {
    if (!copy->read_waited) {
      Fail(self, FaultKind::kUnfinished,
           fmt::format("ends while a bulk store of {} bytes may still read shared memory",
                       copy->bytes));
    }
    self.team->copies().Release(copy);
  }
}

}  // namespace samebits::gpu::simt
