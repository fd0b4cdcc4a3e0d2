#include "gpu/simt/global_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace samebits::gpu::simt {

void GlobalMemory::Add(std::string name, const void* address, int64_t bytes, bool constant) {
  const auto* begin = static_cast<const std::byte*>(address);
  const auto after =
      std::upper_bound(ranges_.begin(), ranges_.end(), begin,
                       [](const std::byte* p, const Range& range) { return p < range.begin; });
  ranges_.insert(after, {std::move(name), begin, begin + bytes, constant});
}

const GlobalMemory::Range* GlobalMemory::Find(const void* address, int64_t bytes,
                                              uint32_t& hint) const {
  const auto* p = static_cast<const std::byte*>(address);
  if (hint < ranges_.size() && ranges_[hint].Contains(p, bytes)) return &ranges_[hint];
  const auto after =
      std::upper_bound(ranges_.begin(), ranges_.end(), p,
                       [](const std::byte* q, const Range& range) { return q < range.begin; });
  if (after == ranges_.begin() || !(after - 1)->Contains(p, bytes)) return nullptr;
  hint = static_cast<uint32_t>(after - 1 - ranges_.begin());
  return &ranges_[hint];
}

std::string GlobalMemory::Locate(const void* address) const {
  if (address == nullptr) return "a null pointer";
  const auto* p = static_cast<const std::byte*>(address);
  for (size_t i = 0; i < ranges_.size(); ++i) {
    const Range& range = ranges_[i];
    const int64_t size = range.end - range.begin;
    if (p >= range.begin && p < range.end) {
      return fmt::format("byte {} of \"{}\" ({} bytes)", p - range.begin, range.name, size);
    }
    const bool nearest = i + 1 == ranges_.size() || p < ranges_[i + 1].begin;
    if (p >= range.end && nearest && p - range.end < (1 << 20)) {
      return fmt::format("{} bytes behind the end of \"{}\" ({} bytes)", p - range.end, range.name,
                         size);
    }
  }
  if (!ranges_.empty() && p < ranges_.front().begin) {
    return fmt::format("{} bytes in front of \"{}\"", ranges_.front().begin - p,
                       ranges_.front().name);
  }
  return "no allocation of this launch";
}

}  // namespace samebits::gpu::simt
