#include "model/kda_pre/config.h"

#include <fmt/format.h>

#include <cmath>

#include "model/contract.h"

namespace samebits::kda_pre {
namespace {

void Require(bool condition, const std::string& message) {
  if (!condition) throw ConfigError(message);
}

void RequireRange(const char* field, int64_t value, int64_t min, int64_t max) {
  Require(value >= min && value <= max,
          fmt::format("{}: {} is not in {}..{}", field, value, min, max));
}

void RequireEps(const char* field, float value) {
  Require(std::isfinite(value) && value >= 0.0f,
          fmt::format("{}: {} is not finite and at least 0", field, value));
}

void ValidateTargets(const Config& c) {
  if (c.targets == Targets::kDistinct) return;
  Require(c.tokens > 1, "targets: must be distinct with tokens 1, which has one slot");
  if (c.targets == Targets::kNull) {
    Require(c.tokens > 2 || c.accepted != Accepted::kFull,
            "targets: null needs a token that is neither the first nor the current one, or "
            "accepted other than full");
  }
  if (c.targets == Targets::kDeadState || c.targets == Targets::kDeadConv) {
    Require(c.accepted != Accepted::kOne,
            "targets: dead_state and dead_conv need accepted other than one: with num_acc 1 the "
            "state's slot is the convolution's");
  }
}

}  // namespace

void Config::validate() const {
  RequireRange("tokens", tokens, 1, kMaxTokenRows);
  RequireRange("requests", requests, 1, kMaxTokenRows);
  Require(token_rows() <= kMaxTokenRows,
          fmt::format("requests: {} of {} tokens are {} rows, more than {}", requests, tokens,
                      token_rows(), kMaxTokenRows));
  RequireRange("nblocks", nblocks, 1, kMaxSources - 1);
  Require(token_rows() * sources() <= kMaxSourceRows,
          fmt::format("nblocks: {} rows times {} sources is more than {}", token_rows(), sources(),
                      kMaxSourceRows));
  Require(token_rows() * (sources() + 1) <= kMaxWeights,
          fmt::format("nblocks: {} rows times {} weights is more than {}", token_rows(),
                      sources() + 1, kMaxWeights));
  Require(!reset || updates_prefix(), "reset: needs a delta, which becomes the prefix");
  Require(write_idx == -1 || (write_idx >= nblocks && write_idx < kMaxSources),
          fmt::format("write_idx: {} is neither -1 nor in {}..{} (nblocks at least)", write_idx,
                      nblocks, kMaxSources - 1));
  Require(state_len >= tokens + 2 && state_len <= kMaxStateLength,
          fmt::format("state_len: {} is not in {}..{} (tokens + 2 at least)", state_len, tokens + 2,
                      kMaxStateLength));
  Require(accepted == Accepted::kOne || tokens > 1,
          "accepted: must be one with tokens 1, where num_acc can only be 1");
  ValidateTargets(*this);
  RequireRange("steps", steps, 1, kMaxSteps);
  RequireRange("epoch", epoch, 0, INT32_MAX - kMaxSteps);
  RequireRange("layer", layer, 0, kTagSlots - 1);
  RequireRange("kda0", kda0, 0, 1 << 20);
  RequireEps("eps", eps);
  RequireEps("out_eps", out_eps);
  RequireEps("onorm_eps", onorm_eps);
  Require(std::isfinite(lower_bound) && lower_bound < 0.0f,
          fmt::format("lower_bound: {} is not negative and finite", lower_bound));
}

}  // namespace samebits::kda_pre
