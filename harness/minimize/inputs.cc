#include "harness/minimize/inputs.h"

#include <fmt/format.h>

#include <cstring>

#include "golden/inputs.h"
#include "harness/compare/element.h"

namespace samebits::harness {
namespace {

struct Format {
  uint32_t sign, exponent, fraction, one;
};

Format FormatOf(DType dtype) {
  switch (dtype) {
    case DType::kBf16:
      return {0x8000, 0x7F80, 0x007F, 0x3F80};
    case DType::kF16:
      return {0x8000, 0x7C00, 0x03FF, 0x3C00};
    default:
      return {0x80000000, 0x7F800000, 0x007FFFFF, 0x3F800000};
  }
}

void SetBits(Tensor* tensor, int64_t index, uint32_t bits) {
  const size_t size = SizeOf(tensor->spec.dtype);
  std::memcpy(tensor->data.data() + static_cast<size_t>(index) * size, &bits, size);
}

/// The index in `larger` of element `index` of `spec`.
int64_t IndexIn(const TensorSpec& larger, const TensorSpec& spec, int64_t index) {
  const std::vector<int64_t> at = Coordinates(spec, index);
  int64_t result = 0;
  for (size_t d = 0; d < at.size(); ++d) result = result * larger.shape[d] + at[d];
  return result;
}

void Cut(const Tensor& from, Tensor* to) {
  const TensorSpec& spec = to->spec;
  bool fits = from.spec.dtype == spec.dtype && from.spec.shape.size() == spec.shape.size();
  for (size_t d = 0; fits && d < spec.shape.size(); ++d) {
    fits = spec.shape[d] <= from.spec.shape[d];
  }
  if (!fits) throw ConfigError(fmt::format("{}: expected a smaller tensor", spec.name));
  for (int64_t i = 0; i < spec.elements(); ++i) {
    SetBits(to, i, ElementBits(from, IndexIn(from.spec, spec, i)));
  }
}

}  // namespace

uint32_t Simplified(DType dtype, uint32_t bits, Simplification how) {
  const Format format = FormatOf(dtype);
  const uint32_t magnitude = bits & ~format.sign;
  const bool finite = (bits & format.exponent) != format.exponent;
  switch (how) {
    case Simplification::kZero:
      return magnitude == 0 ? bits : 0;
    case Simplification::kOne:
      return magnitude == 0 || !finite ? bits : (bits & format.sign) | format.one;
    case Simplification::kPowerOfTwo:
      return !finite || (bits & format.exponent) == 0 ? bits : bits & ~format.fraction;
  }
  return bits;
}

std::vector<int64_t> Simplifiable(const Tensor& tensor, Simplification how) {
  std::vector<int64_t> elements;
  if (tensor.spec.dtype == DType::kI32) return elements;
  for (int64_t i = 0; i < tensor.spec.elements(); ++i) {
    const uint32_t bits = ElementBits(tensor, i);
    if (Simplified(tensor.spec.dtype, bits, how) != bits) elements.push_back(i);
  }
  return elements;
}

void Simplify(std::span<const int64_t> elements, Simplification how, Tensor* tensor) {
  for (const int64_t i : elements) {
    SetBits(tensor, i, Simplified(tensor->spec.dtype, ElementBits(*tensor, i), how));
  }
}

TensorSet CutInputs(const Kernel& kernel, const Settings& config, const TensorSet& from) {
  TensorSet inputs = golden::GenerateInputs({&kernel, config, "realistic", 0});
  for (Tensor& tensor : inputs.tensors) {
    if (tensor.spec.dtype == DType::kI32) continue;
    const Tensor* larger = from.Find(Role::kInput, tensor.spec.name);
    if (larger == nullptr) throw ConfigError(fmt::format("{}: a new input", tensor.spec.name));
    Cut(*larger, &tensor);
  }
  kernel.CheckInputs(config, inputs);
  return inputs;
}

}  // namespace samebits::harness
