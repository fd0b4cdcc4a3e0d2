#include "model/kda_pre/inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "model/arith/bfloat16.h"
#include "model/kda_pre/discriminating.h"
#include "model/kda_pre/plan.h"

namespace samebits::kda_pre {
namespace {

/// NaNs with payloads, signalling: copied they keep their bits, computed with they spread.
constexpr uint16_t kGarbageBf16 = 0x7FA1;
constexpr uint32_t kGarbageF32 = 0x7FA12345;

/// Scales of a trained model, roughly: rows of w_in give about 1 for an x of about 1.
const std::map<std::string, Recipe, std::less<>>& Recipes() {
  static const std::map<std::string, Recipe, std::less<>> recipes = {
      {"prefix", {Texture::kActivation, 1.0f}}, {"delta", {Texture::kActivation, 0.5f}},
      {"blocks", {Texture::kActivation, 1.0f}}, {"ares_nw", {Texture::kGain, 0.1f}},
      {"ares_qk", {Texture::kWeight, 0.02f}},   {"in_nw", {Texture::kGain, 0.1f}},
      {"w_in", {Texture::kWeight, 0.015f}},     {"w_fb", {Texture::kWeight, 0.1f}},
      {"conv_w", {Texture::kWeight, 0.3f}},     {"conv_state", {Texture::kActivation, 1.0f}},
      {"a_log", {Texture::kLogit, 0.5f}},       {"dt_bias", {Texture::kWeight, 0.1f}},
      {"on_w", {Texture::kGain, 0.1f}},         {"rstate", {Texture::kState, 0.05f}},
  };
  return recipes;
}

/// Slots 1..count-1 in an order drawn from the source (Fisher-Yates).
std::vector<int32_t> ShuffledSlots(int count, const InputSource& source) {
  std::vector<int32_t> slots(count - 1);
  std::iota(slots.begin(), slots.end(), 1);
  for (size_t i = slots.size(); i > 1; --i) {
    std::swap(slots[i - 1], slots[source.Draw("st_idx", i) % i]);
  }
  return slots;
}

void ApplyTargets(const Config& config, int offset, std::span<int32_t> row) {
  const int last = static_cast<int>(row.size()) - 1;
  switch (config.targets) {
    case Targets::kDistinct:
      return;
    case Targets::kSource:
      row[offset == last ? 0 : last] = row[offset];
      return;
    case Targets::kRepeated:
      std::ranges::fill(row, row[0]);
      return;
    case Targets::kNull:
      for (int t = 1; t <= last; ++t) {
        if (t != offset) row[t] = t % 2 == 1 ? 0 : -t;
      }
      return;
    case Targets::kDeadState:
      if (offset > 0) row[offset] = 0;
      return;
    case Targets::kDeadConv:
      if (offset > 0) row[0] = 0;
      return;
  }
}

void FillSlots(const Config& config, const InputSource& source, TensorSet* inputs) {
  const std::vector<int32_t> pool = ShuffledSlots(SlotCount(config), source);
  const auto slots = inputs->At(Role::kInput, "st_idx").view<int32_t>();
  const auto accepted = inputs->At(Role::kInput, "num_acc").view<int32_t>();
  size_t next = 0;
  for (int r = 0; r < config.requests; ++r) {
    accepted[r] = AcceptedTokens(config, r);
    const auto row = slots.subspan(static_cast<size_t>(r) * config.tokens, config.tokens);
    if (IsPadded(config, r)) {
      std::ranges::fill(row, r % 2 == 0 ? 0 : -1 - r);
      continue;
    }
    for (int32_t& slot : row) slot = pool[next++];
    ApplyTargets(config, accepted[r] - 1, row);
  }
}

/// A bf16 that would leave nothing but NaN of a sum over the hidden size, or nearly so.
bool IsRare(uint16_t x) { return (x & 0x7FFF) >= 0x7E00; }

/// Of the style `specials`: infinities, NaNs and the largest numbers stay in the last token row, so
/// that the other tokens and the other requests have results to look at.
void TameSpecials(const Config& config, TensorSet* inputs) {
  for (const char* name : {"ares_nw", "ares_qk", "in_nw"}) {
    for (uint16_t& x : inputs->At(Role::kInput, name).view<uint16_t>()) {
      if (IsRare(x)) x = 0x3F80;
    }
  }
  for (const char* name : {"prefix", "blocks", "delta"}) {
    Tensor* tensor = inputs->Find(Role::kInput, name);
    if (tensor == nullptr) continue;
    const int64_t kept = tensor->spec.elements() / config.token_rows() * (config.token_rows() - 1);
    if (tensor->spec.dtype == DType::kBf16) {
      for (uint16_t& x : tensor->view<uint16_t>().first(kept)) {
        if (IsRare(x)) x = 0x3F80;
      }
    } else {
      for (uint32_t& x : tensor->view<uint32_t>().first(kept)) {
        if (IsRare(static_cast<uint16_t>(x >> 16))) x = 0x3F800000;
      }
    }
  }
}

/// Elements [first, first + count) of the outermost dimension become NaNs.
void Spoil(Tensor* tensor, int64_t first, int64_t count) {
  const int64_t inner = tensor->spec.elements() / tensor->spec.shape[0];
  if (tensor->spec.dtype == DType::kBf16) {
    std::ranges::fill(tensor->view<uint16_t>().subspan(first * inner, count * inner), kGarbageBf16);
  } else {
    std::ranges::fill(tensor->view<uint32_t>().subspan(first * inner, count * inner), kGarbageF32);
  }
}

void SpoilUnused(const Config& config, TensorSet* inputs) {
  Spoil(&inputs->At(Role::kInput, "rstate"), 0, 1);
  if (config.targets != Targets::kDeadConv) Spoil(&inputs->At(Role::kInput, "conv_state"), 0, 1);
  const auto blocks = inputs->At(Role::kInput, "blocks").view<uint16_t>();
  const int64_t slots = config.block_slots();
  for (int t = 0; t < config.token_rows(); ++t) {
    std::ranges::fill(
        blocks.subspan((t * slots + config.nblocks) * kHidden, (slots - config.nblocks) * kHidden),
        kGarbageBf16);
  }
}

std::span<uint16_t> PaddedRows(Tensor* w_in) {
  return w_in->view<uint16_t>().subspan(size_t{kUsedRows} * kHidden);
}

void CheckSlots(const Config& config, const TensorSet& inputs) {
  const auto slots = inputs.At(Role::kInput, "st_idx").view<int32_t>();
  const int count = SlotCount(config);
  std::vector<int> owners(count, -1);
  for (int r = 0; r < config.requests; ++r) {
    for (int t = 0; t < config.tokens; ++t) {
      const int32_t slot = slots[static_cast<size_t>(r) * config.tokens + t];
      if (slot <= 0) continue;
      if (slot >= count) {
        throw ConfigError(fmt::format("st_idx[{}][{}]: {} is not below the {} slots of the caches",
                                      r, t, slot, count));
      }
      if (owners[slot] >= 0 && owners[slot] != r) {
        throw ConfigError(fmt::format("st_idx[{}][{}]: slot {} is used by request {} as well", r, t,
                                      slot, owners[slot]));
      }
      owners[slot] = r;
    }
  }
}

}  // namespace

void GenerateInputValues(const Config& config, const InputSource& source, TensorSet* inputs) {
  for (Tensor& tensor : inputs->tensors) {
    if (tensor.spec.role != Role::kInput) continue;
    const auto recipe = Recipes().find(tensor.spec.name);
    if (recipe != Recipes().end()) source.Fill(recipe->second, &tensor);
  }
  if (source.style() == "specials") TameSpecials(config, inputs);
  if (source.style() == "discriminating") Discriminate(config, inputs);
  std::ranges::fill(PaddedRows(&inputs->At(Role::kInput, "w_in")), uint16_t{0});
  if (config.delta == Delta::kLds) {
    for (float& x : inputs->At(Role::kInput, "delta").view<float>()) {
      x = arith::Widen(arith::RoundToBf16(x));
    }
  }
  FillSlots(config, source, inputs);
  SpoilUnused(config, inputs);
}

void CheckInputValues(const Config& config, const TensorSet& inputs) {
  const auto accepted = inputs.At(Role::kInput, "num_acc").view<int32_t>();
  for (int r = 0; r < config.requests; ++r) {
    if (accepted[r] < 1 || accepted[r] > config.tokens) {
      throw ConfigError(
          fmt::format("num_acc[{}]: {} is not in 1..{}", r, accepted[r], config.tokens));
    }
  }
  CheckSlots(config, inputs);
  const auto w_in = inputs.At(Role::kInput, "w_in").view<uint16_t>();
  if (std::ranges::any_of(w_in.subspan(size_t{kUsedRows} * kHidden),
                          [](uint16_t x) { return x != 0; })) {
    throw ConfigError(fmt::format("w_in: rows from {} on must be zero", kUsedRows));
  }
  if (config.delta != Delta::kLds) return;
  const auto delta = inputs.At(Role::kInput, "delta").view<uint32_t>();
  if (std::ranges::any_of(delta, [](uint32_t x) {
        return (x & 0xFFFFu) != 0 && !arith::IsNan(arith::FromBits(x));
      })) {
    throw ConfigError("delta: with delta lds every value must be a bf16 value");
  }
}

}  // namespace samebits::kda_pre
