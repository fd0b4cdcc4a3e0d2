#include "tests/model/kda_decode/case.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "model/arith/bfloat16.h"
#include "model/kda_decode/axes.h"
#include "model/kda_decode/inputs.h"
#include "model/kda_decode/operands.h"
#include "model/kda_decode/plan.h"
#include "model/kda_decode/run.h"

namespace samebits::kda_decode::testing {
namespace {

uint64_t Mix(uint64_t z) {
  z += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

/// About N(0, 1): the sum of four 16-bit uniforms, with its variance.
float Normal(uint64_t draw) {
  float sum = -2.0f;
  for (int i = 0; i < 4; ++i) sum += static_cast<float>((draw >> (16 * i)) & 0xFFFFu) * 0x1p-16f;
  return sum * 1.7320508f;
}

/// Calls visit(bytes of the tensor's element, bytes in memory) for every element.
template <typename Visit>
void ForEachElement(const Operand& operand, Tensor* tensor, std::byte* memory, const Visit& visit) {
  const auto& shape = operand.spec.shape;
  const size_t size = SizeOf(operand.spec.dtype);
  std::vector<int64_t> index(shape.size(), 0);
  std::byte* element = tensor->data.data();
  for (int64_t n = 0; n < operand.spec.elements(); ++n, element += size) {
    int64_t offset = operand.offset;
    for (size_t i = 0; i < shape.size(); ++i) offset += index[i] * operand.strides[i];
    visit(element, memory + offset, size);
    for (size_t i = shape.size(); i-- > 0;) {
      if (++index[i] < shape[i]) break;
      index[i] = 0;
    }
  }
}

constexpr std::byte kStray{0xC3};

/// The allocations of a plan in host memory.
class Memory {
 public:
  explicit Memory(MemoryPlan plan) : plan_(std::move(plan)) {
    for (const Allocation& allocation : plan_.allocations) {
      blocks_.emplace_back(static_cast<size_t>(allocation.bytes) + 256, kStray);
      auto address = reinterpret_cast<uintptr_t>(blocks_.back().data());
      addresses_.push_back(reinterpret_cast<void*>((address + 255) / 256 * 256));
    }
    for (const Operand& operand : plan_.operands) {
      Tensor tensor(operand.spec);
      FillPoison(operand.spec.dtype, tensor.data);
      Put(operand, &tensor);
    }
  }

  std::span<void* const> addresses() const { return addresses_; }

  void Put(const Operand& operand, Tensor* tensor) {
    ForEachElement(operand, tensor, At(operand),
                   [](std::byte* from, std::byte* to, size_t n) { std::memcpy(to, from, n); });
  }
  Tensor Get(const Operand& operand) const {
    Tensor tensor(operand.spec);
    ForEachElement(operand, &tensor, At(operand),
                   [](std::byte* to, std::byte* from, size_t n) { std::memcpy(to, from, n); });
    return tensor;
  }
  /// After this call only bytes of no operand still hold kStray, if nobody wrote them.
  bool StraysKept() {
    for (const Operand& operand : plan_.operands) {
      Tensor tensor(operand.spec);
      ForEachElement(operand, &tensor, At(operand), [](std::byte*, std::byte* to, size_t n) {
        std::memset(to, std::to_integer<int>(kStray), n);
      });
    }
    for (const auto& block : blocks_) {
      for (const std::byte b : block) {
        if (b != kStray) return false;
      }
    }
    return true;
  }
  const MemoryPlan& plan() const { return plan_; }

 private:
  std::byte* At(const Operand& operand) const {
    return static_cast<std::byte*>(addresses_[operand.allocation]);
  }

  const MemoryPlan plan_;
  std::vector<std::vector<std::byte>> blocks_;
  std::vector<void*> addresses_;
};

}  // namespace

uint64_t HashSource::Draw(std::string_view tensor, uint64_t index) const {
  uint64_t h = Mix(seed_);
  for (const char c : tensor) h = Mix(h ^ static_cast<unsigned char>(c));
  return Mix(h ^ Mix(index));
}

float HashSource::Value(const Recipe& recipe, uint64_t draw) const {
  const float normal = Normal(draw);
  float value =
      recipe.texture == Texture::kGain ? 1.0f + recipe.scale * normal : recipe.scale * normal;
  const uint64_t kind = Mix(draw ^ 1);
  if (style_ == "wide") return std::ldexp(value, static_cast<int>(kind % 13) - 6);
  if (style_ == "tiny") return std::ldexp(value, -60 - static_cast<int>(kind % 80));
  if (style_ != "specials" || kind % 400 > 8) return value;
  static constexpr uint32_t kBits[] = {0x00000000u, 0x80000000u, 0x7F800000u,
                                       0xFF800000u, 0x7FC01234u, 0x00010000u,
                                       0x80400000u, 0x42B20000u, 0xC2B20000u};
  return arith::FromBits(kBits[kind % 9]);
}

void HashSource::Fill(const Recipe& recipe, Tensor* tensor) const {
  const int64_t n = tensor->spec.elements();
  for (int64_t i = 0; i < n; ++i) {
    const float value = Value(recipe, Draw(tensor->spec.name, static_cast<uint64_t>(i)));
    if (tensor->spec.dtype == DType::kBf16) {
      tensor->view<uint16_t>()[i] = arith::RoundToBf16(value);
    } else {
      tensor->view<float>()[i] = value;
    }
  }
}

Case MakeCase(const Settings& settings, const InputSource& source, const Edit& edit) {
  Case c;
  c.config = ReadConfig(settings);
  for (const Operand& operand : MakePlan(c.config, false).operands) {
    if (operand.spec.role == Role::kInput) c.inputs.tensors.emplace_back(operand.spec);
  }
  GenerateInputValues(c.config, source, &c.inputs);
  if (edit) edit(c.config, &c.inputs);
  CheckInputValues(c.config, c.inputs);
  return c;
}

Results Run(const Case& c, const Choices& choices, Path path, int threads, bool taps) {
  Memory memory(MakePlan(c.config, taps));
  for (const Operand& operand : memory.plan().operands) {
    if (operand.spec.role != Role::kInput) continue;
    Tensor copy = c.inputs.At(Role::kInput, operand.spec.name);
    memory.Put(operand, &copy);
  }
  RunLaunch(c.config, choices, MakeOperands(c.config, memory.addresses()),
            MakeTaps(c.config, taps, memory.addresses()), threads, path);
  Results results;
  for (const Operand& operand : memory.plan().operands) {
    if (operand.spec.role == Role::kInput && !operand.output) {
      const Tensor& before = c.inputs.At(Role::kInput, operand.spec.name);
      if (memory.Get(operand).data != before.data) {
        const Tensor now = memory.Get(operand);
        TensorSet x, y;
        x.tensors.push_back(now);
        y.tensors.push_back(before);
        throw std::logic_error("an input was written: " + FirstDifference(x, y));
      }
      continue;
    }
    Tensor tensor = memory.Get(operand);
    if (operand.spec.role == Role::kInput) tensor.spec.role = Role::kOutput;
    results.tensors.tensors.push_back(std::move(tensor));
  }
  // Taps come before outputs; the updated operands stand among the inputs of a plan.
  std::stable_sort(results.tensors.tensors.begin(), results.tensors.tensors.end(),
                   [](const Tensor& a, const Tensor& b) { return a.spec.role < b.spec.role; });
  results.strays_kept = memory.StraysKept();
  return results;
}

std::string FirstDifference(const TensorSet& a, const TensorSet& b) {
  for (size_t i = 0; i < a.tensors.size(); ++i) {
    const Tensor& x = a.tensors[i];
    const Tensor& y = b.tensors[i];
    if (x.data == y.data) continue;
    const size_t size = SizeOf(x.spec.dtype);
    size_t at = 0;
    while (std::memcmp(x.data.data() + at, y.data.data() + at, size) == 0) at += size;
    uint32_t p = 0, q = 0;
    std::memcpy(&p, x.data.data() + at, size);
    std::memcpy(&q, y.data.data() + at, size);
    return fmt::format("{}[{}]: {:08x} and {:08x}", x.spec.name, at / size, p, q);
  }
  return "";
}

std::string FirstDifferentTensor(const TensorSet& a, const TensorSet& b) {
  const std::string difference = FirstDifference(a, b);
  return difference.substr(0, difference.find('['));
}

}  // namespace samebits::kda_decode::testing
