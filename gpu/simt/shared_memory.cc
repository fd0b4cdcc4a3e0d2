#include "gpu/simt/shared_memory.h"

#include <cstdlib>
#include <cstring>
#include <new>

namespace samebits::gpu::simt {
namespace {

constexpr int64_t kGranuleBytes = 2;
constexpr uint16_t kBarrierActor = 0xFFFF;
constexpr std::size_t kAlignment = 1024;

bool Same(const Mark& a, const Mark& b) { return a.epoch == b.epoch && a.actor == b.actor; }

}  // namespace

void SharedMemory::Free::operator()(std::byte* p) const { std::free(p); }

SharedMemory::SharedMemory(int64_t bytes, uint8_t fill) : bytes_(bytes) {
  const size_t rounded = (static_cast<size_t>(bytes) + kAlignment) / kAlignment * kAlignment;
  storage_.reset(static_cast<std::byte*>(std::aligned_alloc(kAlignment, rounded)));
  if (!storage_) throw std::bad_alloc();
  data_ = storage_.get();
  std::memset(data_, fill, rounded);
  granules_.resize(rounded / kGranuleBytes);
}

template <typename Check>
Conflict SharedMemory::ForEach(int64_t offset, int64_t bytes, const Check& check) {
  const int64_t end = (offset + bytes + kGranuleBytes - 1) / kGranuleBytes;
  for (int64_t g = offset / kGranuleBytes; g < end; ++g) {
    if (Conflict conflict = check(granules_[static_cast<size_t>(g)])) {
      conflict.offset = g * kGranuleBytes;
      return conflict;
    }
  }
  return {};
}

Conflict::Kind SharedMemory::OrderAfter(const ThreadClock& clock, const Mark& earlier,
                                        bool fenced) const {
  const Stamp stamp = earlier.stamp();
  if (stamp.epoch == 0) return Conflict::Kind::kNone;
  if (stamp.actor == kBarrierActor) return Conflict::Kind::kBarrierObject;
  if (!clock.Sees(stamp)) return Conflict::Kind::kUnordered;
  // A bulk copy's own accesses are in the asynchronous proxy already.
  if (fenced && stamp.actor < first_bulk_actor_ && !clock.SeesFenced(stamp)) {
    return Conflict::Kind::kUnfenced;
  }
  return Conflict::Kind::kNone;
}

Conflict SharedMemory::Read(const ThreadClock& reader, int64_t offset, int64_t bytes, Mark mark,
                            bool unwritten_too) {
  const Granule* checked = nullptr;
  return ForEach(offset, bytes, [&](Granule& granule) -> Conflict {
    if (!checked || !Same(checked->write, granule.write)) {
      if (granule.write.epoch == 0 && !unwritten_too) {
        return {Conflict::Kind::kUnwritten, true, {}, 0};
      }
      if (const auto kind = OrderAfter(reader, granule.write, false);
          kind != Conflict::Kind::kNone) {
        return {kind, true, granule.write, 0};
      }
      checked = &granule;
    }
    if (granule.read.actor < first_bulk_actor_ || reader.Sees(granule.read.stamp())) {
      granule.read = mark;
    }
    return {};
  });
}

Conflict SharedMemory::Write(const ThreadClock& writer, int64_t offset, int64_t bytes, Mark mark) {
  return ForEach(offset, bytes, [&](Granule& granule) -> Conflict {
    if (const auto kind = OrderAfter(writer, granule.write, false); kind != Conflict::Kind::kNone) {
      return {kind, true, granule.write, 0};
    }
    if (const auto kind = OrderAfter(writer, granule.read, false); kind != Conflict::Kind::kNone) {
      return {kind, false, granule.read, 0};
    }
    granule = {mark, {}};
    return {};
  });
}

Conflict SharedMemory::ReadByCopy(const ThreadClock& issuer, int64_t offset, int64_t bytes,
                                  Mark mark) {
  const Granule* checked = nullptr;
  return ForEach(offset, bytes, [&](Granule& granule) -> Conflict {
    if (!checked || !Same(checked->write, granule.write)) {
      if (granule.write.epoch == 0) return {Conflict::Kind::kUnwritten, true, {}, 0};
      const auto kind = OrderAfter(issuer, granule.write, true);
      if (kind != Conflict::Kind::kNone) return {kind, true, granule.write, 0};
      checked = &granule;
    }
    granule.read = mark;
    return {};
  });
}

Conflict SharedMemory::WriteByCopy(const ThreadClock& issuer, int64_t offset, int64_t bytes,
                                   Mark mark, bool through_proxy) {
  return ForEach(offset, bytes, [&](Granule& granule) -> Conflict {
    const auto written = OrderAfter(issuer, granule.write, through_proxy);
    if (written != Conflict::Kind::kNone) return {written, true, granule.write, 0};
    const auto read = OrderAfter(issuer, granule.read, false);
    if (read != Conflict::Kind::kNone) return {read, false, granule.read, 0};
    granule = {mark, {}};
    return {};
  });
}

void SharedMemory::MarkBarrierObject(int64_t offset, int64_t bytes) {
  ForEach(offset, bytes, [&](Granule& granule) -> Conflict {
    granule = {Mark({1, kBarrierActor}, 0), {}};
    return {};
  });
}

}  // namespace samebits::gpu::simt
