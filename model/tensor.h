// Tensors as the model, the golden files and the backends exchange them: dense, row-major, named
// dimensions, raw bits. bf16 and f16 are held as their 16-bit patterns.
#ifndef SAMEBITS_MODEL_TENSOR_H_
#define SAMEBITS_MODEL_TENSOR_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace samebits {

enum class DType : uint8_t { kBf16, kF16, kF32, kI32 };

/// Bytes of one element.
size_t SizeOf(DType dtype);
/// "bf16", "f16", "f32", "i32": the `dtype` attribute of golden files.
std::string_view Name(DType dtype);
std::optional<DType> ParseDType(std::string_view name);

/// What a tensor is to a case. An operand that a kernel updates in place has two tensors of one
/// name: the input and the output.
enum class Role : uint8_t { kInput, kTap, kOutput };
/// "inputs", "taps", "outputs": the group of golden files.
std::string_view GroupName(Role role);

struct TensorSpec {
  std::string name;
  Role role = Role::kInput;
  DType dtype = DType::kF32;
  std::vector<std::string> dims;  // names, outermost first; empty for a scalar
  std::vector<int64_t> shape;     // extents, same length as dims

  int64_t elements() const;
  size_t bytes() const { return static_cast<size_t>(elements()) * SizeOf(dtype); }
  bool operator==(const TensorSpec&) const = default;
};

struct Tensor {
  TensorSpec spec;
  std::vector<std::byte> data;  // spec.bytes() bytes, row-major

  Tensor() = default;
  /// Every byte is zero.
  explicit Tensor(TensorSpec s) : spec(std::move(s)), data(spec.bytes()) {}

  template <typename T>
  std::span<T> view() {
    return {reinterpret_cast<T*>(data.data()), data.size() / sizeof(T)};
  }
  template <typename T>
  std::span<const T> view() const {
    return {reinterpret_cast<const T*>(data.data()), data.size() / sizeof(T)};
  }
};

/// The tensors of one case: inputs, then taps in dataflow order, then outputs.
struct TensorSet {
  std::vector<Tensor> tensors;

  const Tensor* Find(Role role, std::string_view name) const;
  Tensor* Find(Role role, std::string_view name);
  /// Throws std::out_of_range that names the tensor.
  const Tensor& At(Role role, std::string_view name) const;
  Tensor& At(Role role, std::string_view name);
};

/// Bits of every element that no one wrote: a NaN whose payload no arithmetic here can produce
/// (every NaN result is canonical), so an unwritten element is never mistaken for a result.
/// bf16 and f16: 0xFFA5; f32: 0xFFA5A5A5; i32: 0xA5A5A5A5.
uint32_t PoisonBits(DType dtype);
/// Fills whole elements of `dtype` with PoisonBits.
void FillPoison(DType dtype, std::span<std::byte> bytes);

}  // namespace samebits

#endif  // SAMEBITS_MODEL_TENSOR_H_
