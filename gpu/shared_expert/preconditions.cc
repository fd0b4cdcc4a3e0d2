#include "gpu/shared_expert/preconditions.h"

#include <cstdint>
#include <limits>
#include <string>

#include "model/contract.h"

namespace samebits::gpu::shared_expert {

using samebits::shared_expert::Config;
using samebits::shared_expert::Operands;
using samebits::shared_expert::Variant;

namespace {

constexpr int kMaxBlocks = 1 << 16;

void Require(bool condition, const std::string& message) {
  if (!condition) throw ConfigError("shared_expert: " + message);
}

void RequireAligned(const char* name, const void* address, int bytes) {
  Require(address != nullptr, std::string(name) + ": missing");
  Require(
      reinterpret_cast<uintptr_t>(address) % bytes == 0,
      std::string(name) + ": address must be a multiple of " + std::to_string(bytes) + " bytes");
}
void RequireStride(const char* name, int64_t elements) {
  Require(elements % 8 == 0, std::string(name) + ": stride of " + std::to_string(elements) +
                                 " elements is no multiple of 16 bytes");
}

}  // namespace

void CheckLaunch(const Config& config, const Operands& operands, int down_blocks) {
  RequireAligned("x", operands.x, 16);
  RequireAligned("gate_up", operands.gate_up, 16);
  RequireAligned("down", operands.down, 16);
  RequireAligned("h", operands.h, 16);
  RequireAligned("mailbox", operands.mailbox, 16);
  RequireStride("mailbox", operands.mailbox_stride);
  if (config.variant == Variant::kFused) {
    RequireAligned("counters", operands.counters, 4);
  } else {
    Require(down_blocks >= 1 && down_blocks <= kMaxBlocks,
            "ctas: " + std::to_string(down_blocks) + " is not in 1.." + std::to_string(kMaxBlocks));
  }
  if (config.has_front()) {
    RequireAligned("front", operands.front, 16);
    RequireAligned("front_mailbox", operands.front_mailbox, 16);
    RequireStride("front_mailbox", operands.front_mailbox_stride);
  }
  if (config.consumer) RequireAligned("reduced", operands.reduced, 16);
  constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
  Require(int64_t{2} * config.tp * config.capacity <= kMax,
          "capacity: more mailbox rows than 32 bits count");
}

}  // namespace samebits::gpu::shared_expert
