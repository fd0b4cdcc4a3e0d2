#include "gpu/kda_pre/launch_plan.h"

#include <fmt/format.h>

#include <cstddef>
#include <string>

#include "gpu/kda_pre/lds.h"
#include "model/contract.h"

namespace samebits::gpu::kda_pre {
namespace {

using samebits::kda_pre::Config;
using samebits::kda_pre::Delta;
using samebits::kda_pre::Operands;

void Require(bool condition, const std::string& message) {
  if (!condition) throw ConfigError("kda_pre: " + message);
}

void RequireAligned(const char* name, const void* address, uintptr_t bytes) {
  Require(address != nullptr, std::string(name) + ": missing");
  Require(reinterpret_cast<uintptr_t>(address) % bytes == 0,
          fmt::format("{}: address must be a multiple of {} bytes", name, bytes));
}

void CheckStride(const char* name, int64_t stride, int64_t multiple) {
  Require(stride % multiple == 0,
          fmt::format("{}: stride of {} elements is no multiple of {}", name, stride, multiple));
}

void CheckOperands(const Config& config, const Operands& o) {
  RequireAligned("prefix", o.prefix, 8);
  if (config.delta == Delta::kMemory) RequireAligned("delta", o.delta, 8);
  if (config.delta == Delta::kLds) RequireAligned("delta", o.delta_lds, 16);
  RequireAligned("blocks", o.blocks, 8);
  CheckStride("blocks", o.blocks_token, 4);
  CheckStride("blocks", o.blocks_block, 4);
  RequireAligned("ares_nw", o.ares_nw, 8);
  RequireAligned("ares_qk", o.ares_qk, 8);
  RequireAligned("in_nw", o.in_nw, 8);
  RequireAligned("w_in", o.w_in, 16);
  RequireAligned("w_fb", o.w_fb, 16);
  RequireAligned("conv_w", o.conv_w, 16);
  RequireAligned("conv_state", o.conv_state, 2);
  RequireAligned("rstate", o.rstate, 16);
  CheckStride("rstate", o.rstate_slot, 4);
  RequireAligned("core_out", o.core_out, 2);
}

}  // namespace

ScratchLayout MakeScratchLayout(const Config& config) {
  using namespace samebits::kda_pre;
  const int64_t rows = config.token_rows(), sources = config.sources();
  ScratchLayout at{};
  int64_t end = 0;
  const auto place = [&end](int64_t& offset, int64_t bytes) {
    offset = end;
    end += bytes;
  };
  const int64_t message = sizeof(Word2);
  place(at.part, kSlices * rows * sources * 2 * message);
  place(at.weight, rows * (sources + 1) * message);
  place(at.msq, kSlices * rows * message);
  place(at.x_ready, kSlices * message);
  place(at.proj, rows * kInProjRows * message);
  place(at.qk, rows * kHeads * 2 * kHeadDim * message);
  place(at.onrm, rows * kHeads * kValueChunks * message);
  end = (end + 15) / 16 * 16;
  place(at.x, rows * kHidden * 2);
  place(at.epoch, 16);
  place(at.alarm, 16);
  at.bytes = end;
  return at;
}

Params MakeParams(const Config& config, const Operands& operands,
                  const samebits::kda_pre::Taps& taps, const AmdTarget& target, void* scratch,
                  int poll_rounds) {
  const ScratchLayout at = MakeScratchLayout(config);
  auto* base = static_cast<std::byte*>(scratch);
  const auto region = [base](int64_t offset) { return reinterpret_cast<Word2*>(base + offset); };
  return {.operands = operands,
          .taps = taps,
          .mailboxes = {.part = region(at.part),
                        .weight = region(at.weight),
                        .msq = region(at.msq),
                        .x_ready = region(at.x_ready),
                        .proj = region(at.proj),
                        .qk = region(at.qk),
                        .onrm = region(at.onrm),
                        .x = reinterpret_cast<uint16_t*>(base + at.x)},
          .epoch = reinterpret_cast<const int32_t*>(base + at.epoch),
          .alarm = region(at.alarm),
          .layer = config.layer,
          .requests = config.requests,
          .rows = config.token_rows(),
          .nblocks = config.nblocks,
          .write_idx = config.write_idx,
          .state_len = config.state_len,
          .first_task_block = config.kda0 % kBlocks,
          .window_rounds = WindowRounds(config.token_rows(), target.lds_bytes),
          .poll_rounds = poll_rounds,
          .reset = config.reset,
          .has_delta = config.delta != Delta::kNone,
          .eps = config.eps,
          .out_eps = config.out_eps,
          .onorm_eps = config.onorm_eps,
          .lower_bound = config.lower_bound};
}

int LaunchLdsBytes(const Config& config, const AmdTarget& target) {
  return LdsBytes(config.tokens, config.token_rows(), config.sources(), target.lds_bytes);
}

void CheckLaunch(const Config& config, const Operands& operands, const AmdTarget& target) {
  Require(config.tokens <= kMaxTokens,
          fmt::format("tokens: {} is not in 1..{}, for which there are kernels", config.tokens,
                      kMaxTokens));
  const int bytes = LaunchLdsBytes(config, target);
  Require(bytes <= target.lds_bytes,
          fmt::format("nblocks: {} token rows of {} sources need {} bytes of LDS, {} has {}",
                      config.token_rows(), config.sources(), bytes, target.name, target.lds_bytes));
  CheckOperands(config, operands);
}

}  // namespace samebits::gpu::kda_pre
