#include "gpu/simt/thread.h"

#include <fmt/format.h>

#include <string_view>

#include "gpu/simt/block.h"
#include "gpu/simt/team.h"

namespace samebits::gpu::simt {

std::string Describe(const Block& block) {
  if (!block.grid->together()) return fmt::format("block {}", block.index);
  return fmt::format("grid {} block {}", block.grid->index, block.index);
}

std::string Describe(const Thread& thread) {
  return fmt::format("{} thread {} (warp {} lane {})", Describe(*thread.block), thread.index,
                     thread.warp, thread.lane);
}

std::string Describe(const Where& where) {
  const std::string_view path = where.file_name();
  return fmt::format("{}:{}", path.substr(path.rfind('/') + 1), where.line());
}

void Fail(const Thread& self, FaultKind kind, const std::string& what) {
  throw Fault(kind, fmt::format("{}: {} {}", Describe(self.where), Describe(self), what));
}

bool IsThread(int block, int warp, int lane) {
  const Thread& self = Self();
  return self.block->index == block && self.warp == warp && self.lane == lane;
}

// Exists to be found by a debugger, so it must be neither inlined nor merged away.
[[gnu::noinline]] void AtThread([[maybe_unused]] int block, [[maybe_unused]] int warp,
                                [[maybe_unused]] int lane) {
  asm volatile("" ::"r"(block), "r"(warp), "r"(lane));
}

}  // namespace samebits::gpu::simt
