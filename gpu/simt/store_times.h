// When a launch stored to which part of global memory.
#ifndef SAMEBITS_GPU_SIMT_STORE_TIMES_H_
#define SAMEBITS_GPU_SIMT_STORE_TIMES_H_

#include <cstdint>
#include <unordered_map>

namespace samebits::gpu::simt {

class StoreTimes {
 public:
  /// Moments at which global memory changes.
  uint64_t now() const { return now_; }
  void Note(const void* address, int64_t bytes);
  /// The moment of the last store to any of these bytes, 0 if there was none.
  uint64_t Last(const void* address, int64_t bytes) const;

 private:
  uint64_t now_ = 1;
  std::unordered_map<uintptr_t, uint64_t> lines_;
};

}  // namespace samebits::gpu::simt

#endif  // SAMEBITS_GPU_SIMT_STORE_TIMES_H_
