#include "model/tensor.h"

#include <stdexcept>

namespace samebits {

size_t SizeOf(DType dtype) {
  return dtype == DType::kBf16 || dtype == DType::kF16 ? 2 : 4;
}

std::string_view Name(DType dtype) {
  switch (dtype) {
    case DType::kBf16: return "bf16";
    case DType::kF16: return "f16";
    case DType::kF32: return "f32";
    case DType::kI32: return "i32";
  }
  return "?";
}

std::optional<DType> ParseDType(std::string_view name) {
  for (DType d : {DType::kBf16, DType::kF16, DType::kF32, DType::kI32}) {
    if (Name(d) == name) return d;
  }
  return std::nullopt;
}

std::string_view GroupName(Role role) {
  switch (role) {
    case Role::kInput: return "inputs";
    case Role::kTap: return "taps";
    case Role::kOutput: return "outputs";
  }
  return "?";
}

int64_t TensorSpec::elements() const {
  int64_t n = 1;
  for (int64_t extent : shape) n *= extent;
  return n;
}

const Tensor* TensorSet::Find(Role role, std::string_view name) const {
  for (const Tensor& t : tensors) {
    if (t.spec.role == role && t.spec.name == name) return &t;
  }
  return nullptr;
}

Tensor* TensorSet::Find(Role role, std::string_view name) {
  return const_cast<Tensor*>(static_cast<const TensorSet*>(this)->Find(role, name));
}

const Tensor& TensorSet::At(Role role, std::string_view name) const {
  if (const Tensor* t = Find(role, name)) return *t;
  throw std::out_of_range("no tensor " + std::string(GroupName(role)) + "/" + std::string(name));
}

Tensor& TensorSet::At(Role role, std::string_view name) {
  return const_cast<Tensor&>(static_cast<const TensorSet*>(this)->At(role, name));
}

uint32_t PoisonBits(DType dtype) {
  switch (dtype) {
    case DType::kBf16:
    case DType::kF16: return 0xFFA5u;
    case DType::kF32: return 0xFFA5A5A5u;
    case DType::kI32: return 0xA5A5A5A5u;
  }
  return 0;
}

void FillPoison(DType dtype, std::span<std::byte> bytes) {
  const uint32_t bits = PoisonBits(dtype);
  const size_t size = SizeOf(dtype);
  for (size_t i = 0; i + size <= bytes.size(); i += size) {
    std::memcpy(bytes.data() + i, &bits, size);  // little-endian: the low bytes come first
  }
}

}  // namespace samebits
