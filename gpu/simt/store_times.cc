#include "gpu/simt/store_times.h"

#include <algorithm>

namespace samebits::gpu::simt {
namespace {

constexpr uintptr_t kLineBytes = 16;

}  // namespace

void StoreTimes::Note(const void* address, int64_t bytes) {
  ++now_;
  const auto at = reinterpret_cast<uintptr_t>(address);
  for (uintptr_t line = at / kLineBytes; line * kLineBytes < at + static_cast<uintptr_t>(bytes);
       ++line) {
    lines_[line] = now_;
  }
}

uint64_t StoreTimes::Last(const void* address, int64_t bytes) const {
  uint64_t last = 0;
  if (lines_.empty()) return last;
  const auto at = reinterpret_cast<uintptr_t>(address);
  for (uintptr_t line = at / kLineBytes; line * kLineBytes < at + static_cast<uintptr_t>(bytes);
       ++line) {
    if (const auto found = lines_.find(line); found != lines_.end()) {
      last = std::max(last, found->second);
    }
  }
  return last;
}

}  // namespace samebits::gpu::simt
