#include "gpu/simt/handover.h"

#include <fmt/format.h>

#include "gpu/simt/dependency.h"
#include "gpu/simt/team.h"

namespace samebits::gpu::simt {
namespace {

bool IsStore(GlobalUse use) { return use == GlobalUse::kStore || use == GlobalUse::kAtomicStore; }
bool IsPlain(GlobalUse use) { return use == GlobalUse::kLoad || use == GlobalUse::kStore; }

const char* Verb(bool store, bool plain) {
  if (plain) return store ? "writes" : "reads";
  return store ? "atomically writes" : "atomically reads";
}

std::string Place(const Team& team, uintptr_t word) {
  return team.memory().Locate(reinterpret_cast<const void*>(word * 4));
}

const Thread& ThreadOf(const Team& team, uint32_t number) {
  for (const auto& cluster : team.clusters()) {
    const uint32_t index = number - 1 - static_cast<uint32_t>(cluster->first_thread);
    if (index < cluster->threads.size()) return cluster->threads[index];
  }
  return team.clusters().front()->threads.front();  // not reached: sites are of the team's threads
}

uint32_t NumberOf(const Thread& self) {
  const Cluster& cluster = *self.block->cluster;
  return static_cast<uint32_t>(cluster.first_thread + (&self - cluster.threads.data())) + 1;
}

}  // namespace

Handover::Word& Handover::At(uintptr_t word) {
  const uintptr_t page = word / kWords;
  if (!last_ || page != last_page_) {
    auto& entry = pages_[page];
    if (!entry) entry = std::make_unique<Page>();
    last_page_ = page;
    last_ = entry.get();
  }
  return (*last_)[word % kWords];
}

void Handover::Fail(const Thread& self, uintptr_t word, GlobalUse use, const Site& other,
                    bool other_stores) const {
  const Team& team = *self.team;
  simt::Fail(self, FaultKind::kRace,
             fmt::format("{} global memory at {}, which {} {} at line {}, and no wait for the grid "
                         "before orders them",
                         Verb(IsStore(use), IsPlain(use)), Place(team, word),
                         Describe(ThreadOf(team, other.thread)), Verb(other_stores, other.plain),
                         static_cast<uint32_t>(other.line)));
}

void Handover::CheckConflict(const Thread& self, const Uses& others, uintptr_t word,
                             GlobalUse use) const {
  const bool plain = IsPlain(use);
  if (others.store.thread != 0 && (plain || others.store.plain)) {
    Fail(self, word, use, others.store, true);
  }
  if (IsStore(use) && others.load.thread != 0 && (plain || others.load.plain)) {
    Fail(self, word, use, others.load, false);
  }
}

bool Handover::HasWritten(size_t grid, const void* address, int64_t bytes) {
  const auto at = reinterpret_cast<uintptr_t>(address), end = at + static_cast<uintptr_t>(bytes);
  for (uintptr_t word = at / kWordBytes; word * kWordBytes < end; ++word) {
    if (At(word)[grid].store.thread == 0) return false;
  }
  return true;
}

void Handover::CheckEarly(Thread& self, const GlobalMemory::Range& range, const void* address,
                          int64_t bytes, GlobalUse use) {
  // What this grid alone has written it may read again.
  if (range.constant || (use == GlobalUse::kLoad && !HasWritten(1, address, bytes))) {
    simt::Fail(self, FaultKind::kRace, kBeforeTheWait);
  }
  if (use == GlobalUse::kStore && !self.block->grid->earlier_ended) {
    simt::Fail(self, FaultKind::kRace,
               "writes global memory before the wait for the grid that this one depends on, of "
               "which no block waits for earlier grids before it lets this one start");
  }
}

void Handover::Use(Thread& self, const GlobalMemory::Range& range, const void* address,
                   int64_t bytes, GlobalUse use) {
  const Grid& grid = *self.block->grid;
  const bool second = grid.before != nullptr, waited = HasWaitedForGrid(self);
  if (range.constant && !IsStore(use)) return;
  if (!second && range.constant) {
    simt::Fail(self, FaultKind::kRace,
               fmt::format("writes \"{}\", which the grid after this one may read at any time",
                           range.name));
  }
  if (!second && grid.shape.dependent && !waited) {
    simt::Fail(self, FaultKind::kRace, kBeforeTheWait);
  }
  if (second && waited && !IsStore(use)) return;
  if (second && !waited) CheckEarly(self, range, address, bytes, use);
  const auto at = reinterpret_cast<uintptr_t>(address), end = at + static_cast<uintptr_t>(bytes);
  const Site site{NumberOf(self), self.where.line(), IsPlain(use)};
  for (uintptr_t word = at / kWordBytes; word * kWordBytes < end; ++word) {
    Word& uses = At(word);
    if (!second || !waited) CheckConflict(self, uses[second ? 0 : 1], word, use);
    Uses& own = uses[second ? 1 : 0];
    Site& last = IsStore(use) ? own.store : own.load;
    if (last.thread == 0 || site.plain || !last.plain) last = site;
  }
}

void Handover::CheckEnd(const Team& team) const {
  uintptr_t first = UINTPTR_MAX;
  const Site* site = nullptr;
  for (const auto& [page, words] : pages_) {
    for (uintptr_t i = 0; i < kWords; ++i) {
      const Word& word = (*words)[i];
      if (word[1].load.thread == 0 || word[1].store.thread != 0 || word[0].store.thread != 0) {
        continue;
      }
      if (page * kWords + i > first) continue;
      first = page * kWords + i;
      site = &word[1].load;
    }
  }
  if (!site) return;
  throw Fault(FaultKind::kRace,
              fmt::format("{} reads global memory at {} in line {} before the wait for the grid "
                          "that its own depends on, and neither of them writes it",
                          Describe(ThreadOf(team, site->thread)), Place(team, first),
                          static_cast<uint32_t>(site->line)));
}

}  // namespace samebits::gpu::simt
