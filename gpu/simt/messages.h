// Global memory through which blocks of a co-resident grid talk: tagged messages that threads poll,
// and device-scope stores that are complete only once the thread has waited for them.
#ifndef SAMEBITS_GPU_SIMT_MESSAGES_H_
#define SAMEBITS_GPU_SIMT_MESSAGES_H_

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "gpu/lane/types.h"
#include "gpu/simt/thread.h"

namespace samebits::gpu::simt {

/// What the threads of a team wait for in global memory, and what they have stored but may not be
/// seen yet.
class MessageBoard {
 public:
  void Wait(const void* address, Thread* thread) { waiting_[address].push_back(thread); }
  /// Those who wait for the address, which has been stored to; they wait no longer.
  std::vector<Thread*> Take(const void* address);
  void StoreLater(Thread* thread, void* to, Word2 value) { later_[thread].push_back({to, value}); }
  /// Completes the stores of a thread.
  void Complete(Thread* thread);

 private:
  struct Store {
    void* to;
    Word2 value;
  };
  std::unordered_map<const void*, std::vector<Thread*>> waiting_;
  std::unordered_map<Thread*, std::vector<Store>> later_;
};

/// One 8-byte store, visible at once to every block.
void PutMessage(Thread& self, Word2* to, uint32_t value, uint32_t tag, Where where);
/// Until every message has the tag: the thread sleeps until someone stores to the first that has
/// another one. A deadlock names it.
void PollMessages(Thread& self, const Word2* const* at, int count, uint32_t tag, uint32_t* values,
                  Where where);
/// Visible at a moment that the schedule chooses, at the latest at WaitStores or the thread's end.
void StoreDevice(Thread& self, Word2* to, Word2 value, Where where);
void WaitStores(Thread& self, Where where);

}  // namespace samebits::gpu::simt

#endif  // SAMEBITS_GPU_SIMT_MESSAGES_H_
