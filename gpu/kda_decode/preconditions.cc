#include "gpu/kda_decode/preconditions.h"

#include <cstdint>
#include <limits>
#include <string>

#include "gpu/kda_decode/shared_layout.h"
#include "model/contract.h"

namespace samebits::gpu::kda_ws {
namespace {

using kda_decode::Config;
using kda_decode::Operands;

// (n % blocks) * block must fit 32 bits (ItemBound).
constexpr int kMaxBlocks = 46340;

void Require(bool condition, const std::string& message) {
  if (!condition) throw ConfigError("kda_decode: " + message);
}

void RequireAligned(const char* name, const void* address, int bytes) {
  Require(address != nullptr, std::string(name) + ": missing");
  Require(
      reinterpret_cast<uintptr_t>(address) % bytes == 0,
      std::string(name) + ": address must be a multiple of " + std::to_string(bytes) + " bytes");
}

void RequireStride(const char* name, int64_t stride, int size) {
  Require(stride * size % 16 == 0, std::string(name) + ": stride of " + std::to_string(stride) +
                                       " elements is no multiple of 16 bytes");
}

/// The smallest alignment of the rows that are copied 16 bytes at a time.
void CheckRows(const Operands& operands) {
  RequireAligned("x", operands.x, 16);
  RequireStride("x", operands.x_stride, 2);
  RequireAligned("gate", operands.gate, 16);
  RequireStride("gate", operands.gate_stride, 2);
  RequireAligned("f_a", operands.f_a, 16);
  RequireStride("f_a", operands.f_a_stride, 2);
  RequireAligned("f_b", operands.f_b, 8);
}

void CheckPages(const Config& config, const Operands& operands) {
  RequireAligned("state", operands.state, 16);
  RequireStride("state", operands.state_slot_stride, 4);
  RequireAligned("conv_state", operands.conv_state, 16);
  RequireStride("conv_state", operands.conv_slot_stride,
                config.conv_type == kda_decode::ConvType::kBf16 ? 2 : 4);
}

void CheckPresent(const Config& config, const Operands& operands) {
  RequireAligned("weights", operands.weights, 4);
  if (config.has_bias) RequireAligned("bias", operands.bias, 4);
  RequireAligned("beta", operands.beta, 2);
  RequireAligned("a_log", operands.a_log, 4);
  RequireAligned("dt_bias", operands.dt_bias, 4);
  RequireAligned("slots", operands.slots, 4);
  if (config.tokens > 1) RequireAligned("num_accepted", operands.num_accepted, 4);
  RequireAligned("norm_weight", operands.norm_weight, 4);
  RequireAligned("output", operands.output, 2);
  if (config.record) {
    RequireAligned("correction_record", operands.correction_record, 4);
    RequireAligned("key_gate_record", operands.key_gate_record, 2);
  }
}

void CheckSizes(const Config& config, int blocks) {
  Require(config.tokens >= 1 && config.tokens <= kda_decode::kMaxTokens,
          "tokens: " + std::to_string(config.tokens) + " is not in 1..8");
  Require(config.window >= config.tokens + 2,
          "window: " + std::to_string(config.window) + " is less than tokens + 2");
  constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
  Require(config.items() <= kMax && config.token_rows() <= kMax && 3 * config.dim() <= kMax,
          "heads * requests: more items, rows or channels than 32 bits count");
  Require(blocks >= 1 && blocks <= kMaxBlocks,
          "ctas: " + std::to_string(blocks) + " is not in 1.." + std::to_string(kMaxBlocks));
  const int64_t shared =
      SharedBytes(config.tokens, config.conv_layout, config.conv_type, config.window);
  Require(shared <= kMaxSharedBytes,
          "window: " + std::to_string(config.window) + " needs " + std::to_string(shared) +
              " bytes of shared memory, a block has " + std::to_string(kMaxSharedBytes));
}

}  // namespace

void CheckLaunch(const Config& config, const Operands& operands, int blocks) {
  CheckSizes(config, blocks);
  CheckRows(operands);
  CheckPages(config, operands);
  CheckPresent(config, operands);
}

}  // namespace samebits::gpu::kda_ws
