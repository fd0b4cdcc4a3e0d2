#include "golden/inputs.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>

#include "golden/counter_hash.h"
#include "golden/styles.h"
#include "model/parallel.h"

namespace samebits::golden {
namespace {

constexpr int64_t kElementsPerTask = int64_t{1} << 16;

size_t FindStyle(std::string_view name) {
  const std::span<const Style> styles = Styles();
  std::string known;
  for (size_t i = 0; i < styles.size(); ++i) {
    if (styles[i].name == name) return i;
    known += (i == 0 ? "" : i + 1 == styles.size() ? " or " : ", ") + std::string(styles[i].name);
  }
  throw ConfigError("input style \"" + std::string(name) + "\": expected " + known);
}

template <typename Bits>
void FillRow(const Style& style, Element element, Bits* row) {
  for (; element.column < element.columns; ++element.column) {
    row[element.column] = static_cast<Bits>(style.bits(element));
  }
}

}  // namespace

std::span<const std::string_view> StyleNames() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> list;
    for (const Style& style : Styles()) list.push_back(style.name);
    return list;
  }();
  return names;
}

InputGenerator::InputGenerator(std::string_view style, uint64_t seed, int threads)
    : style_(style), style_index_(FindStyle(style)), seed_(seed), threads_(threads) {}

uint64_t InputGenerator::Key(std::string_view tensor) const {
  return Mix(HashText(style_ + "/" + std::to_string(seed_) + "/" + std::string(tensor)));
}

uint64_t InputGenerator::Draw(std::string_view tensor, uint64_t index) const {
  return DrawAt(Key(tensor), index);
}

void InputGenerator::Fill(const Recipe& recipe, Tensor* tensor) const {
  const TensorSpec& spec = tensor->spec;
  if (spec.dtype == DType::kI32) {
    throw std::invalid_argument("tensor " + spec.name + ": expected a floating-point type to fill");
  }
  const size_t rank = spec.shape.size();
  Element first;
  first.recipe = recipe;
  first.dtype = spec.dtype;
  first.key = Key(spec.name);
  if (rank >= 1) first.columns = spec.shape[rank - 1];
  if (rank >= 2) first.rows = spec.shape[rank - 2];
  if (spec.elements() == 0) return;

  const Style& style = Styles()[style_index_];
  const int64_t lines = spec.elements() / first.columns;
  const int64_t per_task = std::max<int64_t>(1, kElementsPerTask / first.columns);
  ParallelFor((lines + per_task - 1) / per_task, threads_, [&](int64_t task) {
    Element element = first;
    const int64_t end = std::min(lines, (task + 1) * per_task);
    for (int64_t line = task * per_task; line < end; ++line) {
      element.outer = line / first.rows;
      element.row = line % first.rows;
      if (SizeOf(spec.dtype) == 2) {
        FillRow(style, element, tensor->view<uint16_t>().data() + line * first.columns);
      } else {
        FillRow(style, element, tensor->view<uint32_t>().data() + line * first.columns);
      }
    }
  });
}

TensorSet GenerateInputs(const CaseSpec& spec, int threads) {
  const InputGenerator source(spec.style, spec.seed, threads);
  TensorSet inputs;
  for (const Operand& operand : spec.kernel->Plan(spec.config, false).operands) {
    if (operand.spec.role == Role::kInput) inputs.tensors.emplace_back(operand.spec);
  }
  spec.kernel->GenerateInputs(spec.config, source, &inputs);
  spec.kernel->CheckInputs(spec.config, inputs);
  return inputs;
}

}  // namespace samebits::golden
