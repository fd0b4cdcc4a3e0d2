#include "harness/compare/element.h"

#include <fmt/format.h>

#include <cstring>

#include "model/arith/bfloat16.h"
#include "model/arith/float16.h"

namespace samebits::harness {

uint32_t ElementBits(const Tensor& tensor, int64_t index) {
  uint32_t bits = 0;  // little-endian: the low bytes come first
  const size_t size = SizeOf(tensor.spec.dtype);
  std::memcpy(&bits, tensor.data.data() + static_cast<size_t>(index) * size, size);
  return bits;
}

float ToFloat(DType dtype, uint32_t bits) {
  switch (dtype) {
    case DType::kBf16:
      return arith::Widen(static_cast<arith::Bf16>(bits));
    case DType::kF16:
      return arith::WidenF16(static_cast<arith::F16>(bits));
    case DType::kF32:
      return arith::FromBits(bits);
    case DType::kI32:
      return static_cast<float>(static_cast<int32_t>(bits));
  }
  return 0;
}

std::string HexBits(DType dtype, uint32_t bits) {
  return SizeOf(dtype) == 2 ? fmt::format("0x{:04x}", bits) : fmt::format("0x{:08x}", bits);
}

std::string ValueText(DType dtype, uint32_t bits) {
  if (dtype == DType::kI32) return fmt::format("{}", static_cast<int32_t>(bits));
  return fmt::format("{}", ToFloat(dtype, bits));
}

std::vector<int64_t> Coordinates(const TensorSpec& spec, int64_t index) {
  std::vector<int64_t> coordinates(spec.shape.size());
  for (size_t d = spec.shape.size(); d-- > 0; index /= spec.shape[d]) {
    coordinates[d] = index % spec.shape[d];
  }
  return coordinates;
}

std::string CoordinateText(const TensorSpec& spec, int64_t index) {
  if (spec.dims.empty()) return "scalar";
  const std::vector<int64_t> coordinates = Coordinates(spec, index);
  std::string text;
  for (size_t d = 0; d < spec.dims.size(); ++d) {
    text += fmt::format("{}{}={}", d ? " " : "", spec.dims[d], coordinates[d]);
  }
  return text;
}

std::string FullName(const TensorSpec& spec) {
  return fmt::format("{}/{}", GroupName(spec.role), spec.name);
}

std::string SpecText(const TensorSpec& spec) {
  std::string text = spec.name + "[";
  for (size_t d = 0; d < spec.dims.size(); ++d) {
    text += fmt::format("{}{}={}", d ? ", " : "", spec.dims[d], spec.shape[d]);
  }
  return text + "] " + std::string(Name(spec.dtype));
}

}  // namespace samebits::harness
