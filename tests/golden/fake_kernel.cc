#include "tests/golden/fake_kernel.h"

#include <array>
#include <cmath>

#include "model/arith/bfloat16.h"
#include "model/parallel.h"

namespace samebits::golden::testing {
namespace {

int64_t Get(const Settings& config, const char* axis) { return std::stoll(config.at(axis)); }

TensorSpec Spec(const char* name, Role role, DType dtype, std::vector<std::string> dims,
                std::vector<int64_t> shape) {
  return {name, role, dtype, std::move(dims), std::move(shape)};
}

/// Address of element (i, j) of an operand.
template <typename T>
T* At(const Operand& operand, std::span<void* const> addresses, int64_t i, int64_t j = 0) {
  int64_t offset = operand.offset + i * operand.strides[0];
  if (operand.strides.size() > 1) offset += j * operand.strides[1];
  return reinterpret_cast<T*>(static_cast<std::byte*>(addresses[operand.allocation]) + offset);
}

}  // namespace

std::span<const Axis> FakeKernel::axes() const {
  static const std::array<Axis, 3> axes = {{
      {"rows", "rows", Axis::Kind::kInteger, {}, 1, 64, "2"},
      {"columns", "columns", Axis::Kind::kInteger, {}, 1, 4096, "5"},
      {"layout", "memory", Axis::Kind::kWord, {"dense", "padded"}, 0, 0, "dense"},
  }};
  return axes;
}

Settings FakeKernel::Complete(const Settings& config) const {
  Settings complete;
  for (const Axis& axis : axes()) complete[axis.name] = axis.default_value;
  for (const auto& [name, value] : config) {
    if (!complete.contains(name)) throw ConfigError(name + ": no such axis");
    complete[name] = value;
  }
  if (complete["layout"] != "dense" && complete["layout"] != "padded") {
    throw ConfigError("layout: expected dense or padded");
  }
  if (Get(complete, "rows") == 3 && complete["layout"] == "padded") {
    throw ConfigError("layout: padded needs an even number of rows");
  }
  return complete;
}

std::span<const Choice> FakeKernel::choices() const {
  static const std::array<Choice, 1> choices = {
      {{"contract", "rounding of a*x + b", {"fused", "separate"}, "product"}}};
  return choices;
}

Contract FakeKernel::NamedContract(std::string_view) const {
  return {"fake", "fake.cpu", "cpu", {{"contract", "fused"}}};
}

void FakeKernel::CheckContract(const Contract& contract) const {
  const auto found = contract.choices.find("contract");
  if (found == contract.choices.end() ||
      (found->second != "fused" && found->second != "separate")) {
    throw ConfigError("contract: expected fused or separate");
  }
}

MemoryPlan FakeKernel::Plan(const Settings& config, bool taps) const {
  const int64_t rows = Get(config, "rows"), columns = Get(config, "columns");
  const bool padded = config.at("layout") == "padded";
  // One row of the shared allocation: x, then a, then 6 bytes of padding.
  const int64_t x_bytes = 4 * columns, pitch = padded ? 4 * ((6 * columns + 6 + 3) / 4) : 0;
  const std::vector<std::string> dims = {"rows", "columns"};
  MemoryPlan plan;
  const auto add = [&](TensorSpec spec, int allocation, int64_t offset,
                       std::vector<int64_t> strides, bool output = false) {
    plan.operands.push_back({std::move(spec), output, allocation, offset, std::move(strides)});
  };
  plan.allocations = {{"packed", padded ? rows * pitch : rows * 6 * columns},
                      {"b", 4 * columns},
                      {"mode", 4 * rows},
                      {"state", 4 * rows * columns},
                      {"y", 2 * rows * columns}};
  const std::vector<int64_t> shape = {rows, columns};
  add(Spec("x", Role::kInput, DType::kF32, dims, shape), 0, 0, {padded ? pitch : x_bytes, 4});
  add(Spec("a", Role::kInput, DType::kBf16, dims, shape), 0, padded ? x_bytes : rows * x_bytes,
      {padded ? pitch : 2 * columns, 2});
  add(Spec("b", Role::kInput, DType::kF32, {"columns"}, {columns}), 1, 0, {4});
  add(Spec("mode", Role::kInput, DType::kI32, {"rows"}, {rows}), 2, 0, {4});
  add(Spec("state", Role::kInput, DType::kF32, dims, shape), 3, 0, {4, 4 * rows}, true);
  if (taps) {
    plan.allocations.push_back({"product", 4 * rows * columns});
    add(Spec("product", Role::kTap, DType::kF32, dims, shape), 5, 0, {4 * columns, 4});
  }
  add(Spec("y", Role::kOutput, DType::kBf16, dims, shape), 4, 0, {2 * columns, 2});
  return plan;
}

void FakeKernel::GenerateInputs(const Settings&, const InputSource& source,
                                TensorSet* inputs) const {
  source.Fill({Texture::kActivation, 1.0f}, &inputs->At(Role::kInput, "x"));
  source.Fill({Texture::kWeight, 0.5f}, &inputs->At(Role::kInput, "a"));
  source.Fill({Texture::kGain, 0.25f}, &inputs->At(Role::kInput, "b"));
  source.Fill({Texture::kState, 2.0f}, &inputs->At(Role::kInput, "state"));
  const std::span<int32_t> mode = inputs->At(Role::kInput, "mode").view<int32_t>();
  for (size_t i = 0; i < mode.size(); ++i) {
    mode[i] = source.Draw("mode", i) % 4 == 0 && i > 0 ? -1 : 1;
  }
}

void FakeKernel::CheckInputs(const Settings&, const TensorSet& inputs) const {
  for (const int32_t mode : inputs.At(Role::kInput, "mode").view<int32_t>()) {
    if (mode != 1 && mode != -1) throw ConfigError("mode: expected 1 or -1");
  }
}

void FakeKernel::Run(const Settings& config, const Contract& contract, bool taps,
                     std::span<void* const> addresses, int threads) const {
  const MemoryPlan plan = Plan(config, taps);
  const Operand &x = plan.operands[0], &a = plan.operands[1], &b = plan.operands[2],
                &mode = plan.operands[3], &state = plan.operands[4], &y = plan.operands.back();
  const bool fused = contract.choices.at("contract") == "fused";
  ParallelFor(x.spec.shape[0], threads, [&](int64_t i) {
    if (*At<int32_t>(mode, addresses, i) < 0) return;
    for (int64_t j = 0; j < x.spec.shape[1]; ++j) {
      const float av = arith::Widen(*At<uint16_t>(a, addresses, i, j));
      const float xv = *At<float>(x, addresses, i, j), bv = *At<float>(b, addresses, j);
      const float product = arith::Mul(av, xv);
      const float sum = fused ? arith::Fma(av, xv, bv) : arith::Add(product, bv);
      if (taps) *At<float>(plan.operands[5], addresses, i, j) = product;
      float& s = *At<float>(state, addresses, i, j);
      s = arith::Add(s, sum);
      *At<uint16_t>(y, addresses, i, j) = arith::RoundToBf16(sum);
    }
  });
  if (trespass_at >= 0) static_cast<uint8_t*>(addresses[0])[trespass_at] ^= 1;
}

const FakeKernel& Fake() {
  static const FakeKernel kernel;
  return kernel;
}

const Kernel* FindFake(std::string_view name) { return name == "fake" ? &Fake() : nullptr; }

}  // namespace samebits::golden::testing
