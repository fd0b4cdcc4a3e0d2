#include "model/shared_expert/inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include "model/shared_expert/derived.h"
#include "model/shared_expert/discriminating.h"
#include "model/shared_expert/mailbox.h"

namespace samebits::shared_expert {
namespace {

/// Scale of weights whose product with k values about 1 in size is about `size`.
float WeightScale(float size, int k) { return size / std::sqrt(static_cast<float>(k)); }

/// Nothing for tensors whose contents the protocol fixes.
std::optional<Recipe> RecipeOf(const Config& config, std::string_view tensor) {
  if (tensor == "x") return Recipe{Texture::kActivation, 1.0f};
  if (tensor == "gate_up")
    return Recipe{Texture::kWeight, WeightScale(1.5f, config.geometry.width)};
  if (tensor == "front") return Recipe{Texture::kWeight, WeightScale(1.0f, config.geometry.width)};
  if (tensor == "down") return Recipe{Texture::kWeight, WeightScale(1.0f, Derive(config).hidden)};
  return std::nullopt;
}

/// What the protocol has in element i of a tensor before the first step.
uint32_t InitialBits(DType dtype, size_t i) {
  if (dtype == DType::kI32) return 0;
  return dtype == DType::kF32 ? kSentinel : SentinelBf16(static_cast<int64_t>(i));
}

uint32_t Bits(const Tensor& tensor, size_t i) {
  return SizeOf(tensor.spec.dtype) == 2 ? tensor.view<uint16_t>()[i] : tensor.view<uint32_t>()[i];
}

}  // namespace

void GenerateInputValues(const Config& config, const InputSource& source, TensorSet* inputs) {
  for (Tensor& tensor : inputs->tensors) {
    if (tensor.spec.role != Role::kInput) continue;
    if (const std::optional<Recipe> recipe = RecipeOf(config, tensor.spec.name)) {
      source.Fill(*recipe, &tensor);
      continue;
    }
    const size_t count = static_cast<size_t>(tensor.spec.elements());
    for (size_t i = 0; i < count; ++i) {
      const uint32_t bits = InitialBits(tensor.spec.dtype, i);
      if (SizeOf(tensor.spec.dtype) == 2) {
        tensor.view<uint16_t>()[i] = static_cast<uint16_t>(bits);
      } else {
        tensor.view<uint32_t>()[i] = bits;
      }
    }
  }
  if (source.style() == "discriminating") Discriminate(config, inputs);
}

void CheckInputValues(const Config& config, const TensorSet& inputs) {
  for (const Tensor& tensor : inputs.tensors) {
    if (tensor.spec.role != Role::kInput || RecipeOf(config, tensor.spec.name)) continue;
    const size_t count = static_cast<size_t>(tensor.spec.elements());
    for (size_t i = 0; i < count; ++i) {
      const uint32_t expected = InitialBits(tensor.spec.dtype, i);
      if (Bits(tensor, i) == expected) continue;
      throw ConfigError(fmt::format("{}[{}]: {:#x} before the first step, must be {:#x}{}",
                                    tensor.spec.name, i, Bits(tensor, i), expected,
                                    tensor.spec.dtype == DType::kI32
                                        ? " (counters are zero before a launch)"
                                        : " (mailboxes are empty)"));
    }
  }
}

}  // namespace samebits::shared_expert
