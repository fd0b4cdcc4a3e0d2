#include "gpu/simt/clock.h"

#include <algorithm>
#include <utility>

namespace samebits::gpu::simt {
namespace {

void MaxInto(std::vector<uint32_t>& to, const std::vector<uint32_t>& from) {
  uint32_t* t = to.data();
  const uint32_t* f = from.data();
  for (size_t i = 0; i < to.size(); ++i) t[i] = std::max(t[i], f[i]);
}

void RaiseTo(uint32_t& value, uint32_t epoch) { value = std::max(value, epoch); }

bool Contains(const std::vector<uint32_t>& big, const std::vector<uint32_t>& small) {
  uint32_t behind = 0;
  for (size_t i = 0; i < big.size(); ++i) behind |= small[i] > big[i];
  return behind == 0;
}

bool Contains(const ClockRef& big, const ClockRef& small) {
  return Contains(big->seen, small->seen) && Contains(big->fenced, small->fenced);
}

}  // namespace

void ClockRef::Recycle() { clock_->arena->Recycle(clock_); }

VectorClock* ClockArena::Allocate() {
  VectorClock* clock;
  if (free_.empty()) {
    clock = clocks_.emplace_back(std::make_unique<VectorClock>()).get();
    clock->arena = this;
  } else {
    clock = free_.back();
    free_.pop_back();
  }
  return clock;
}

VectorClock* ClockArena::New() {
  VectorClock* clock = Allocate();
  clock->seen.assign(static_cast<size_t>(actors_), 0);
  clock->fenced.assign(static_cast<size_t>(actors_), 0);
  return clock;
}

VectorClock* ClockArena::NewCopy(const VectorClock& from) {
  VectorClock* clock = Allocate();
  clock->seen = from.seen;
  clock->fenced = from.fenced;
  return clock;
}

bool ThreadClock::SeesFenced(Stamp stamp) const {
  if (stamp.actor == actor) return stamp.epoch <= fenced_epoch;
  if (stamp.actor == copies_actor && stamp.epoch <= fenced_copies) return true;
  return stamp.epoch <= base->fenced[stamp.actor] ||
         (fence_base && stamp.epoch <= fence_base->seen[stamp.actor]);
}

void ThreadClock::FenceProxy() {
  fence_base = base;
  fenced_epoch = epoch++;
  fenced_copies = copies_done;
}

VectorClock* Gather::sum() {
  if (!sum_) {
    writable_ = arena_->New();
    sum_ = ClockRef(writable_);
  }
  return writable_;
}

void Gather::Add(const ClockRef& clock) {
  if (std::find(joined_.rbegin(), joined_.rend(), clock) != joined_.rend()) return;
  if (!sum_) {
    writable_ = arena_->NewCopy(*clock.get());
    sum_ = ClockRef(writable_);
  } else {
    MaxInto(writable_->seen, clock->seen);
    MaxInto(writable_->fenced, clock->fenced);
  }
  joined_.push_back(clock);
  last_joined_ = clock.get();
}

void Gather::AddFence(const ThreadClock& thread) {
  VectorClock* to = writable_;
  if (std::find(fences_.begin(), fences_.end(), thread.fence_base) == fences_.end()) {
    MaxInto(to->fenced, thread.fence_base->seen);
    fences_.push_back(thread.fence_base);
  }
  RaiseTo(to->fenced[thread.actor], thread.fenced_epoch);
  RaiseTo(to->fenced[thread.copies_actor], thread.fenced_copies);
}

void Gather::Add(ThreadClock& thread) {
  if (thread.base.get() != last_joined_) Add(thread.base);
  if (thread.fenced_epoch != 0) AddFence(thread);
  uint32_t* seen = writable_->seen.data();
  if (thread.copies_done != 0) RaiseTo(seen[thread.copies_actor], thread.copies_done);
  RaiseTo(seen[thread.actor], thread.epoch++);
}

void Gather::Add(Stamp stamp) { RaiseTo(sum()->seen[stamp.actor], stamp.epoch); }

ClockRef Gather::Take() {
  sum();
  joined_.clear();
  fences_.clear();
  writable_ = nullptr;
  last_joined_ = nullptr;
  return std::exchange(sum_, {});
}

void Acquire::By(ThreadClock& thread) {
  if (!clock_) return;
  if (!(from_ && from_ == thread.base)) {
    from_ = thread.base;
    result_ = Join(thread.base, clock_);
  }
  thread.base = result_;
}

ClockRef Join(const ClockRef& a, const ClockRef& b) {
  if (a == b || Contains(a, b)) return a;
  if (Contains(b, a)) return b;
  VectorClock* sum = a->arena->New();
  ClockRef result(sum);
  sum->seen = a->seen;
  sum->fenced = a->fenced;
  MaxInto(sum->seen, b->seen);
  MaxInto(sum->fenced, b->fenced);
  return result;
}

}  // namespace samebits::gpu::simt
