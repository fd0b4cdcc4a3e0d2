#include "model/kda_decode/config.h"

#include <fmt/format.h>

#include <cmath>

#include "model/contract.h"

namespace samebits::kda_decode {
namespace {

void Require(bool condition, const std::string& message) {
  if (!condition) throw ConfigError(message);
}

void RequireRange(const char* field, int64_t value, int64_t min, int64_t max) {
  Require(value >= min && value <= max,
          fmt::format("{}: {} is not in {}..{}", field, value, min, max));
}

}  // namespace

void Config::validate() const {
  RequireRange("tokens", tokens, 1, kMaxTokens);
  RequireRange("requests", requests, 1, kMaxRequests);
  RequireRange("heads", heads, 1, kMaxHeads);
  RequireRange("gate_mode", gate_mode, 0, 1);
  Require(window >= tokens + 2 && window <= kMaxWindow,
          fmt::format("window: {} is not in {}..{} (tokens + 2 at least)", window, tokens + 2,
                      kMaxWindow));
  Require(!record || tokens > 1, "record: needs tokens > 1, a verify step has at least 2");
  Require(accepted == Accepted::kOne || tokens > 1,
          "accepted: must be one with tokens 1, which has no num_accepted");
  if (targets != Targets::kDistinct) {
    Require(tokens > 1, "targets: must be distinct with tokens 1, which has one slot");
    Require(!record, "targets: must be distinct with record, which writes no state");
    Require(targets != Targets::kNull || tokens > 2 || accepted != Accepted::kFull,
            "targets: null needs a token that is neither the first nor the current one, or "
            "accepted other than full");
  }
  Require(std::isfinite(lower_bound) && lower_bound < 0.0f,
          fmt::format("lower_bound: {} is not negative and finite", lower_bound));
  Require(std::isfinite(scale), fmt::format("scale: {} is not finite", scale));
  Require(std::isfinite(eps) && eps >= 0.0f,
          fmt::format("eps: {} is not finite and at least 0", eps));
}

}  // namespace samebits::kda_decode
