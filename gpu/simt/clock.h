// Happens-before, kept as vector clocks: which accesses a thread has been synchronised with, and
// which of them a proxy fence lies behind. Threads that leave one barrier share one clock, so that
// a barrier costs one join and not one per thread.
#ifndef SAMEBITS_GPU_SIMT_CLOCK_H_
#define SAMEBITS_GPU_SIMT_CLOCK_H_

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace samebits::gpu::simt {

/// Who did something, and when in its own time. Actors are the threads of a cluster, the
/// asynchronous copies of each thread, and bulk copies in flight. Epoch 0: no one.
struct Stamp {
  uint32_t epoch = 0;
  uint16_t actor = 0;
};

class ClockArena;

/// Immutable once shared.
struct VectorClock {
  ClockArena* arena = nullptr;
  int references = 0;
  std::vector<uint32_t> seen;    // [actor]: the last epoch that happened before
  std::vector<uint32_t> fenced;  // [actor]: the last epoch with a proxy fence after it
};

/// Counted reference; clocks belong to one operating-system thread.
class ClockRef {
 public:
  ClockRef() = default;
  explicit ClockRef(VectorClock* clock) : clock_(clock) { Hold(); }
  ClockRef(const ClockRef& other) : clock_(other.clock_) { Hold(); }
  ClockRef(ClockRef&& other) noexcept : clock_(other.clock_) { other.clock_ = nullptr; }
  ClockRef& operator=(ClockRef other) noexcept {
    std::swap(clock_, other.clock_);
    return *this;
  }
  ~ClockRef() {
    if (clock_ && --clock_->references == 0) Recycle();
  }
  const VectorClock* get() const { return clock_; }
  const VectorClock* operator->() const { return clock_; }
  explicit operator bool() const { return clock_ != nullptr; }
  bool operator==(const ClockRef& other) const { return clock_ == other.clock_; }

 private:
  void Hold() {
    if (clock_) ++clock_->references;
  }
  void Recycle();
  VectorClock* clock_ = nullptr;
};

/// Clocks of one cluster; must outlive every ClockRef to them.
class ClockArena {
 public:
  explicit ClockArena(int actors) : actors_(actors) {}
  ClockArena(const ClockArena&) = delete;
  ClockArena& operator=(const ClockArena&) = delete;

  int actors() const { return actors_; }
  /// All zero.
  VectorClock* New();
  VectorClock* NewCopy(const VectorClock& from);
  void Recycle(VectorClock* clock) { free_.push_back(clock); }

 private:
  VectorClock* Allocate();

  int actors_;
  std::vector<std::unique_ptr<VectorClock>> clocks_;
  std::vector<VectorClock*> free_;
};

/// What one thread knows: a shared clock and its own progress since.
struct ThreadClock {
  ClockRef base;
  uint16_t actor = 0;         // this thread
  uint16_t copies_actor = 0;  // its asynchronous 16-byte copies; their epoch is their group
  uint32_t epoch = 1;         // of its accesses; grows with every release
  uint32_t copies_done = 0;
  // The last proxy fence of this thread: everything in fence_base->seen lies before it.
  uint32_t fenced_epoch = 0;
  ClockRef fence_base;
  uint32_t fenced_copies = 0;

  Stamp now() const { return {epoch, actor}; }
  /// The access that left the stamp happened before now.
  bool Sees(Stamp stamp) const {
    if (stamp.actor == actor) return true;
    if (stamp.actor == copies_actor && stamp.epoch <= copies_done) return true;
    return stamp.epoch <= base->seen[stamp.actor];
  }
  /// ... and a proxy fence lies between.
  bool SeesFenced(Stamp stamp) const;
  void FenceProxy();
};

/// Joins the clocks of the threads that arrive somewhere.
class Gather {
 public:
  explicit Gather(ClockArena* arena) : arena_(arena) {}
  /// Release: the thread's epoch ends.
  void Add(ThreadClock& thread);
  void Add(Stamp stamp);
  void Add(const ClockRef& clock);
  bool empty() const { return !sum_; }
  /// The join of everything added; empties this.
  ClockRef Take();

 private:
  VectorClock* sum();
  void AddFence(const ThreadClock& thread);
  ClockArena* arena_;
  ClockRef sum_;
  VectorClock* writable_ = nullptr;
  const VectorClock* last_joined_ = nullptr;  // joined_.back()
  std::vector<ClockRef> joined_;              // bases that the sum contains already
  std::vector<ClockRef> fences_;              // the same of proxy fences
};

/// Acquires of one clock by threads that mostly share a base: the join is made once.
class Acquire {
 public:
  void Set(ClockRef clock) {
    clock_ = std::move(clock);
    from_ = result_ = {};
  }
  void By(ThreadClock& thread);

 private:
  ClockRef clock_;
  ClockRef from_, result_;
};

/// Either of the two where it contains the other, else a new clock.
ClockRef Join(const ClockRef& a, const ClockRef& b);

}  // namespace samebits::gpu::simt

#endif  // SAMEBITS_GPU_SIMT_CLOCK_H_
