// Global memory between two grids that run together. Nothing orders them but the second one's wait
// for the first: what a thread of the second does before it must not conflict with anything that
// the first does, at whatever time the schedule lets it. Atomic accesses do not conflict with each
// other.
#ifndef SAMEBITS_GPU_SIMT_HANDOVER_H_
#define SAMEBITS_GPU_SIMT_HANDOVER_H_

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "gpu/simt/access.h"
#include "gpu/simt/global_memory.h"
#include "gpu/simt/thread.h"

namespace samebits::gpu::simt {

class Handover {
 public:
  /// Faults if the access, of bytes of that range, conflicts with one of the other grid, or is
  /// plain and comes before the wait for what it may depend on.
  void Use(Thread& self, const GlobalMemory::Range& range, const void* address, int64_t bytes,
           GlobalUse use);
  /// Both grids have ended. Faults if the second one looked, before its wait, at a word to which
  /// neither of them stores: what it saw is of an earlier launch.
  void CheckEnd(const Team& team) const;

 private:
  static constexpr uintptr_t kWordBytes = 4, kWords = 1024;

  struct Site {
    uint32_t thread = 0;  // in the team, from 1; 0: none
    uint32_t line : 31 = 0;
    uint32_t plain : 1 = 0;
  };
  struct Uses {
    Site load, store;  // the last ones, a plain one rather than an atomic one
  };
  using Word = std::array<Uses, 2>;  // by grid
  using Page = std::array<Word, kWords>;

  Word& At(uintptr_t word);
  bool HasWritten(size_t grid, const void* address, int64_t bytes);
  void CheckEarly(Thread& self, const GlobalMemory::Range& range, const void* address,
                  int64_t bytes, GlobalUse use);
  void CheckConflict(const Thread& self, const Uses& others, uintptr_t word, GlobalUse use) const;
  [[noreturn]] void Fail(const Thread& self, uintptr_t word, GlobalUse use, const Site& other,
                         bool other_stores) const;

  std::unordered_map<uintptr_t, std::unique_ptr<Page>> pages_;
  uintptr_t last_page_ = 0;
  Page* last_ = nullptr;
};

}  // namespace samebits::gpu::simt

#endif  // SAMEBITS_GPU_SIMT_HANDOVER_H_
