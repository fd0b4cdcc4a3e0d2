// The device allocations that a launch may touch.
#ifndef SAMEBITS_GPU_SIMT_GLOBAL_MEMORY_H_
#define SAMEBITS_GPU_SIMT_GLOBAL_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace samebits::gpu::simt {

class GlobalMemory {
 public:
  struct Range {
    std::string name;
    const std::byte* begin = nullptr;
    const std::byte* end = nullptr;
    bool constant = false;  // no earlier grid writes it: it may be read before the wait for it
    bool Contains(const std::byte* p, int64_t bytes) const {
      return p >= begin && p + bytes <= end;
    }
  };

  /// Ranges do not overlap.
  void Add(std::string name, const void* address, int64_t bytes, bool constant = false);
  /// The range that holds all of [address, address + bytes), nullptr if there is none. `hint`
  /// carries the last answer of one caller.
  const Range* Find(const void* address, int64_t bytes, uint32_t& hint) const;
  /// "12 bytes behind the end of \"state\" (65536 bytes)", for the report of a wrong address.
  std::string Locate(const void* address) const;

 private:
  std::vector<Range> ranges_;  // by address
};

}  // namespace samebits::gpu::simt

#endif  // SAMEBITS_GPU_SIMT_GLOBAL_MEMORY_H_
