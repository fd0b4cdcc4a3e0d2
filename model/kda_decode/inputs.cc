#include "model/kda_decode/inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "model/kda_decode/discriminating.h"
#include "model/kda_decode/plan.h"

namespace samebits::kda_decode {
namespace {

/// NaNs with payloads, signalling: copied they keep their bits, computed with they spread.
constexpr uint16_t kGarbageBf16 = 0x7FA1;
constexpr uint32_t kGarbageF32 = 0x7FA12345;

/// Scales of a trained model, roughly; the state's is 1/sqrt(K) of its page.
const std::map<std::string, Recipe, std::less<>>& Recipes() {
  static const std::map<std::string, Recipe, std::less<>> recipes = {
      {"x", {Texture::kActivation, 1.0f}},     {"weights", {Texture::kWeight, 0.3f}},
      {"bias", {Texture::kWeight, 0.1f}},      {"conv_state", {Texture::kActivation, 1.0f}},
      {"f_a", {Texture::kActivation, 1.0f}},   {"beta", {Texture::kLogit, 1.0f}},
      {"a_log", {Texture::kLogit, 0.5f}},      {"dt_bias", {Texture::kWeight, 0.1f}},
      {"state", {Texture::kState, 0.05f}},     {"gate", {Texture::kLogit, 1.0f}},
      {"norm_weight", {Texture::kGain, 0.1f}}, {"f_b", {Texture::kWeight, 0.1f}},
  };
  return recipes;
}

/// Slots 1..count-1 in an order drawn from the source (Fisher-Yates).
std::vector<int32_t> ShuffledSlots(int count, const InputSource& source) {
  std::vector<int32_t> slots(count - 1);
  std::iota(slots.begin(), slots.end(), 1);
  for (size_t i = slots.size(); i > 1; --i) {
    std::swap(slots[i - 1], slots[source.Draw("slots", i) % i]);
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
      row[last - 1] = row[last];
      return;
    case Targets::kNull:
      for (int t = 1; t <= last; ++t) {
        if (t != offset) row[t] = t % 2 == 1 ? 0 : -t;
      }
      return;
  }
}

void FillSlots(const Config& config, const InputSource& source, TensorSet* inputs) {
  const std::vector<int32_t> pool = ShuffledSlots(SlotCount(config), source);
  const int columns = SlotColumns(config);
  const auto slots = inputs->At(Role::kInput, "slots").view<int32_t>();
  size_t next = 0;
  for (int r = 0; r < config.requests; ++r) {
    const auto row = slots.subspan(static_cast<size_t>(r) * columns, columns);
    if (IsPadded(config, r)) {
      std::ranges::fill(row, r % 2 == 0 ? 0 : -1 - r);
      continue;
    }
    for (int32_t& slot : row) slot = pool[next++];
    if (!config.record && config.tokens > 1) {
      ApplyTargets(config, AcceptedTokens(config, r) - 1, row);
    }
  }
  if (config.tokens == 1) return;
  const auto accepted = inputs->At(Role::kInput, "num_accepted").view<int32_t>();
  for (int r = 0; r < config.requests; ++r) accepted[r] = AcceptedTokens(config, r);
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

void SpoilUnusedRows(const Config& config, TensorSet* inputs) {
  for (const char* name : {"state", "conv_state"}) Spoil(&inputs->At(Role::kInput, name), 0, 1);
  for (int r = 0; r < config.requests; ++r) {
    if (!IsPadded(config, r)) continue;
    for (const char* name : {"x", "f_a", "beta", "gate"}) {
      Spoil(&inputs->At(Role::kInput, name), int64_t{r} * config.tokens, config.tokens);
    }
  }
}

/// Reports a slot that two requests use: which of them reads the other's result is undefined.
class SlotOwners {
 public:
  explicit SlotOwners(int count) : owner_(count, -1) {}

  void Use(int request, int column, int32_t slot) {
    if (slot <= 0) return;
    if (slot >= static_cast<int32_t>(owner_.size())) {
      throw ConfigError(fmt::format("slots[{}][{}]: {} is not below the {} slots of the caches",
                                    request, column, slot, owner_.size()));
    }
    if (owner_[slot] >= 0 && owner_[slot] != request) {
      throw ConfigError(fmt::format("slots[{}][{}]: slot {} is used by request {} as well", request,
                                    column, slot, owner_[slot]));
    }
    owner_[slot] = request;
  }

 private:
  std::vector<int> owner_;
};

}  // namespace

void GenerateInputValues(const Config& config, const InputSource& source, TensorSet* inputs) {
  for (Tensor& tensor : inputs->tensors) {
    if (tensor.spec.role != Role::kInput) continue;
    const auto recipe = Recipes().find(tensor.spec.name);
    if (recipe != Recipes().end()) source.Fill(recipe->second, &tensor);
  }
  if (source.style() == "discriminating") Discriminate(config, inputs);
  FillSlots(config, source, inputs);
  SpoilUnusedRows(config, inputs);
}

void CheckInputValues(const Config& config, const TensorSet& inputs) {
  const int columns = SlotColumns(config);
  const auto slots = inputs.At(Role::kInput, "slots").view<int32_t>();
  std::span<const int32_t> accepted;
  if (config.tokens > 1) accepted = inputs.At(Role::kInput, "num_accepted").view<int32_t>();
  SlotOwners owners(SlotCount(config));
  for (int r = 0; r < config.requests; ++r) {
    const int32_t n = config.tokens > 1 ? accepted[r] : 1;
    if (n < 1 || n > config.tokens) {
      throw ConfigError(fmt::format("num_accepted[{}]: {} is not in 1..{}", r, n, config.tokens));
    }
    if (n > columns) {
      throw ConfigError(fmt::format("num_accepted[{}]: {} needs {} slot columns, there are {}", r,
                                    n, n, columns));
    }
    const auto row = slots.subspan(static_cast<size_t>(r) * columns, columns);
    if (row[n - 1] <= 0) continue;
    if (row[0] <= 0) {
      throw ConfigError(
          fmt::format("slots[{}][0]: {} is not positive although the state's slot is {}", r, row[0],
                      row[n - 1]));
    }
    owners.Use(r, 0, row[0]);
    owners.Use(r, n - 1, row[n - 1]);
    if (config.record) continue;
    for (int t = 0; t < columns; ++t) owners.Use(r, t, row[t]);
  }
}

}  // namespace samebits::kda_decode
