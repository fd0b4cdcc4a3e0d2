#include "harness/explain/hypothesis.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

namespace samebits::harness {
namespace {

/// Values that a scalar is confused with: nothing, no factor, the wrong sign, twice, half, inverse,
/// one more or less; the scale of another head, the epsilon of another layer.
std::vector<std::string> Confusions(const std::string& value) {
  const float x = std::strtof(value.c_str(), nullptr);
  std::vector<float> others = {0.0f,  1.0f,   -x,     2 * x, x / 2, x * x,
                               1 / x, x * 10, x / 10, x + 1, x - 1};
  for (const float extent : {32.0f, 64.0f, 96.0f, 128.0f, 192.0f, 256.0f, 512.0f}) {
    others.push_back(1 / std::sqrt(extent));
    others.push_back(1 / extent);
  }
  for (const float epsilon : {1e-3f, 1e-4f, 1e-5f, 1e-6f, 1e-7f, 1e-8f, 1e-10f, 1e-12f}) {
    others.push_back(epsilon);
  }
  std::vector<std::string> texts;
  for (const float other : others) {
    std::string text = fmt::format("{}", other);
    if (std::ranges::find(texts, text) == texts.end()) texts.push_back(std::move(text));
  }
  return texts;
}

std::vector<std::string> ValuesOf(const Axis& axis, const std::string& current) {
  constexpr int64_t kFew = 8;
  switch (axis.kind) {
    case Axis::Kind::kWord:
      return axis.words;
    case Axis::Kind::kReal:
      return Confusions(current);
    case Axis::Kind::kInteger: {
      std::vector<std::string> values;
      for (int64_t v = axis.min; v <= axis.max && v < axis.min + kFew; ++v) {
        values.push_back(std::to_string(v));
      }
      return values;
    }
  }
  return {};
}

bool SamePlan(const MemoryPlan& a, const MemoryPlan& b) {
  if (a.operands.size() != b.operands.size()) return false;
  for (size_t i = 0; i < a.operands.size(); ++i) {
    const Operand &x = a.operands[i], &y = b.operands[i];
    if (x.spec != y.spec || x.output != y.output || x.allocation != y.allocation ||
        x.offset != y.offset || x.strides != y.strides) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::string_view Name(Deviation::Kind kind) {
  constexpr std::array<std::string_view, 5> names = {"choice", "order", "axis", "operand",
                                                     "result"};
  return names[static_cast<size_t>(kind)];
}

Contract Changed(const Contract& contract, const Hypothesis& hypothesis) {
  Contract changed = contract;
  for (const Deviation& change : hypothesis) {
    if (change.kind == Deviation::Kind::kChoice) changed.choices[change.name] = change.to;
    if (change.kind == Deviation::Kind::kOrder) changed.orders[change.name] = *change.tree;
  }
  return changed;
}

Settings Changed(const Settings& config, const Hypothesis& hypothesis) {
  Settings changed = config;
  for (const Deviation& change : hypothesis) {
    if (change.kind == Deviation::Kind::kAxis) changed[change.name] = change.to;
  }
  return changed;
}

bool IsOrder(const Kernel& kernel, const Deviation& change) {
  if (change.kind == Deviation::Kind::kOrder) return !change.contracts;
  if (change.kind != Deviation::Kind::kChoice) return false;
  const auto choices = kernel.choices();
  const auto choice = std::ranges::find(choices, change.name, &Choice::name);
  return choice->kind == ChoiceKind::kOrder;
}

std::vector<Deviation> ChoiceDeviations(const Kernel& kernel, const Contract& contract) {
  std::vector<Deviation> changes;
  for (const Choice& choice : kernel.choices()) {
    const std::string& current = contract.choices.at(choice.name);
    for (const std::string& value : choice.values) {
      if (value == current) continue;
      changes.push_back({Deviation::Kind::kChoice, choice.name, current, value, {}});
    }
  }
  return changes;
}

std::optional<Deviation> AxisDeviation(const Kernel& kernel, const Settings& config,
                                       const Axis& axis, const std::string& value) {
  const std::string& current = config.at(axis.name);
  Settings other = config;
  other[axis.name] = value;
  try {
    other = kernel.Complete(other);
    if (other.at(axis.name) == current ||
        !SamePlan(kernel.Plan(config, true), kernel.Plan(other, true))) {
      return std::nullopt;
    }
  } catch (const ConfigError&) {
    return std::nullopt;  // not a legal configuration
  }
  return Deviation{Deviation::Kind::kAxis, axis.name, current, other.at(axis.name), {}};
}

std::vector<Deviation> AxisDeviations(const Kernel& kernel, const Settings& config) {
  std::vector<Deviation> changes;
  for (const Axis& axis : kernel.axes()) {
    for (const std::string& value : ValuesOf(axis, config.at(axis.name))) {
      if (auto change = AxisDeviation(kernel, config, axis, value)) changes.push_back(*change);
    }
  }
  return changes;
}

}  // namespace samebits::harness
