// Asynchronous copies. They read and write at a moment that the schedule chooses: at the latest
// when someone waits for them, else at any step before.
#ifndef SAMEBITS_GPU_SIMT_COPIES_H_
#define SAMEBITS_GPU_SIMT_COPIES_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/simt/block.h"
#include "gpu/simt/schedule.h"
#include "gpu/simt/thread.h"

namespace samebits::gpu::simt {

struct Copy;

/// Asynchronous work other than the copies that Copy describes itself.
class AsyncWork {
 public:
  virtual ~AsyncWork() = default;
  /// Does it. May finish other work first.
  virtual void Complete(const Copy& copy) = 0;
  /// Accesses shared memory of that block.
  virtual bool Touches(const Block& block) const = 0;
};

struct Copy {
  enum class Kind : uint8_t { kCopyAsync, kBulkLoad, kBulkStore, kWork };
  Kind kind = Kind::kCopyAsync;
  bool has_read = false;  // a bulk store reads first and writes later
  bool done = false;
  bool read_waited = false;  // bulk stores: the owner knows that it has read
  bool waited = false;       // the owner has no more interest in it
  bool tracked = false;      // an mbarrier waits for it
  Thread* owner = nullptr;
  const std::byte* from = nullptr;
  std::byte* to = nullptr;
  int64_t bytes = 0;
  uint32_t group = 0;
  uint32_t epoch = 0;           // CopyAsync16
  Stamp stamp;                  // bulk copies and other work; epoch 0: no actor of its own
  Block* target = nullptr;      // bulk loads: of the mbarrier
  int64_t mbarrier = 0;         // bulk loads: its offset
  std::vector<std::byte> read;  // bulk stores: what it has read
  std::unique_ptr<AsyncWork> work;
  size_t place = 0;  // in CopyQueue
};

/// The copies in flight of one team.
class CopyQueue {
 public:
  bool empty() const { return pending_.empty(); }
  /// The bulk copies between shared and global memory among them.
  const std::vector<Copy*>& bulk() const { return bulk_; }

  Copy* Start(Copy copy);
  /// One step of any copy in flight, which is not empty.
  void StepAny(Random& random);
  void Finish(Copy& copy);
  void FinishRead(Copy& copy);
  /// The owner has waited: the record is free once the copy is done.
  void Release(Copy* copy);
  /// Finishes some copy of the cluster that has an actor of its own.
  void FinishAnyOf(const Cluster& cluster);
  /// Finishes all that threads of the grid, which has ended, have started.
  void FinishAllOf(const Grid& grid);
  /// Faults if work in flight still accesses the shared memory of the block that `last` ends.
  void CheckBlockEnd(const Thread& last) const;

 private:
  void Remove(Copy& copy);
  std::vector<std::unique_ptr<Copy>> all_;
  std::vector<Copy*> free_;
  std::vector<Copy*> pending_;
  std::vector<Copy*> bulk_;
};

/// An actor for a copy; one that is in flight ends early if all are taken.
Stamp NewBulkStamp(Thread& self);
/// Faults unless positive and a multiple of 16.
void CheckBulkSize(Thread& self, int64_t bytes);
/// Starts other work of `self`.
Copy* StartWork(Thread& self, std::unique_ptr<AsyncWork> work, Stamp stamp);

void CopyAsync16(Thread& self, void* shared, const void* global, Where where);
void CopyAsyncCommit(Thread& self, Where where);
/// Until at most `pending` of the committed groups are incomplete.
void CopyAsyncWait(Thread& self, uint32_t pending, Where where);
/// One arrival at the mbarrier once the thread's copies so far are complete.
void CopyAsyncArrive(Thread& self, void* mbarrier, Where where);
void BulkLoad(Thread& self, void* shared, const void* global, int64_t bytes, void* mbarrier,
              Where where);
void BulkStore(Thread& self, void* global, const void* shared, int64_t bytes, Where where);
void BulkCommit(Thread& self, Where where);
/// Until at most `pending` committed groups have not read (`all`: nor written).
void BulkWait(Thread& self, uint32_t pending, bool all, Where where);
void FenceProxyAsync(Thread& self, Where where);
/// Faults if the thread, which ends, has copies that it never waited for.
void CheckNoCopies(Thread& self);

}  // namespace samebits::gpu::simt

#endif  // SAMEBITS_GPU_SIMT_COPIES_H_
