// The shared memory of a block, and beside it who wrote and who read each two bytes last.
#ifndef SAMEBITS_GPU_SIMT_SHARED_MEMORY_H_
#define SAMEBITS_GPU_SIMT_SHARED_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/simt/clock.h"

namespace samebits::gpu::simt {

/// An access, as later ones see it. `line` is the source line, for the report.
struct Mark {
  uint32_t epoch = 0;  // 0: no access
  uint16_t actor = 0;
  uint16_t line = 0;

  Mark() = default;
  Mark(Stamp stamp, uint32_t source_line)
      : epoch(stamp.epoch), actor(stamp.actor), line(static_cast<uint16_t>(source_line)) {}
  Stamp stamp() const { return {epoch, actor}; }
};

/// Which access forbids another one.
struct Conflict {
  enum class Kind : uint8_t { kNone, kUnwritten, kUnordered, kUnfenced, kBarrierObject };
  Kind kind = Kind::kNone;
  bool by_write = false;  // the earlier access was a write
  Mark earlier;
  int64_t offset = 0;  // of the first byte
  explicit operator bool() const { return kind != Kind::kNone; }
};

/// Granules of two bytes: two threads that write different bytes of one granule count as a race.
/// Of the reads since the last write only the latest is remembered, and a bulk copy's in preference
/// to a thread's: a race that one schedule hides by this shows in another.
class SharedMemory {
 public:
  /// Every byte has the value `fill` at the start: results that depend on it differ by schedule.
  SharedMemory(int64_t bytes, uint8_t fill);

  std::byte* data() const { return data_; }
  int64_t bytes() const { return bytes_; }
  bool Contains(const void* address, int64_t bytes) const {
    const auto* p = static_cast<const std::byte*>(address);
    return p >= data_ && p + bytes <= data_ + bytes_;
  }
  int64_t OffsetOf(const void* address) const {
    return static_cast<const std::byte*>(address) - data_;
  }

  /// The rules of an access to [offset, offset + bytes), which lies inside. The access is recorded
  /// if it is legal.
  Conflict Read(const ThreadClock& reader, int64_t offset, int64_t bytes, Mark mark,
                bool unwritten_too = false);
  Conflict Write(const ThreadClock& writer, int64_t offset, int64_t bytes, Mark mark);
  /// By an asynchronous copy that `issuer` starts; `through_proxy` for bulk copies, which need a
  /// proxy fence behind every ordinary write.
  Conflict ReadByCopy(const ThreadClock& issuer, int64_t offset, int64_t bytes, Mark mark);
  Conflict WriteByCopy(const ThreadClock& issuer, int64_t offset, int64_t bytes, Mark mark,
                       bool through_proxy);
  /// Ordinary accesses to a barrier object are conflicts from here on.
  void MarkBarrierObject(int64_t offset, int64_t bytes);
  /// Actors from here on are bulk copies.
  void set_first_bulk_actor(int actor) { first_bulk_actor_ = actor; }

 private:
  struct Granule {
    Mark write, read;
  };
  struct Free {
    void operator()(std::byte* p) const;
  };
  template <typename Check>
  Conflict ForEach(int64_t offset, int64_t bytes, const Check& check);
  Conflict::Kind OrderAfter(const ThreadClock& clock, const Mark& earlier, bool fenced) const;

  int64_t bytes_;
  std::unique_ptr<std::byte, Free> storage_;
  std::byte* data_;
  std::vector<Granule> granules_;
  int first_bulk_actor_ = 0xFFFF;
};

}  // namespace samebits::gpu::simt

#endif  // SAMEBITS_GPU_SIMT_SHARED_MEMORY_H_
