// The choices of a kernel as one table: each choice beside its member of the kernel's struct, and
// the named contracts. Everything that reads or writes a contract as text goes through it.
#ifndef SAMEBITS_MODEL_CHOICE_TABLE_H_
#define SAMEBITS_MODEL_CHOICE_TABLE_H_

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "model/contract.h"

namespace samebits {

/// A choice and its place in Choices, a struct of enumerations and of the contract's orders; the
/// values stand in the order of the enumerators.
template <class Choices>
struct ChoiceField {
  Choice choice;
  size_t (*get)(const Choices&);
  void (*set)(Choices*, size_t);
};

template <class Member>
struct MemberTraits;
template <class Struct, class Value>
struct MemberTraits<Value Struct::*> {
  using StructType = Struct;
  using ValueType = Value;
};

template <auto kMember>
auto MakeChoiceField(ChoiceKind kind, std::string name, std::string doc,
                     std::vector<std::string> values, std::string first_tap) {
  using Traits = MemberTraits<decltype(kMember)>;
  using Choices = typename Traits::StructType;
  return ChoiceField<Choices>{
      {std::move(name), std::move(doc), std::move(values), std::move(first_tap), kind},
      [](const Choices& choices) { return static_cast<size_t>(choices.*kMember); },
      [](Choices* choices, size_t value) {
        choices->*kMember = static_cast<typename Traits::ValueType>(value);
      }};
}

template <class Choices>
struct NamedChoices {
  std::string_view name;
  std::string_view profile;  // the chip whose units are meant
  Choices choices;
};

template <class Choices>
class ChoiceTable {
 public:
  /// `fields`: in dataflow order of what they change first. `named`: the default contract first.
  ChoiceTable(std::string_view kernel, std::vector<ChoiceField<Choices>> fields,
              std::vector<NamedChoices<Choices>> named)
      : kernel_(kernel), fields_(std::move(fields)), named_(std::move(named)) {
    for (const ChoiceField<Choices>& field : fields_) choices_.push_back(field.choice);
  }

  std::span<const Choice> choices() const { return choices_; }

  std::vector<std::string> contract_names() const {
    std::vector<std::string> names;
    for (const NamedChoices<Choices>& contract : named_) names.emplace_back(contract.name);
    return names;
  }

  /// "" is the default. Throws ConfigError.
  Contract Named(std::string_view name) const {
    for (const NamedChoices<Choices>& contract : named_) {
      if (!name.empty() && contract.name != name) continue;
      return {.kernel = std::string(kernel_),
              .name = std::string(contract.name),
              .profile = std::string(contract.profile),
              .choices = Write(contract.choices)};
    }
    throw ConfigError(
        fmt::format("contract: '{}' is not one of {}", name, fmt::join(contract_names(), ", ")));
  }

  /// Throws ConfigError for another kernel's contract and an unknown, missing or illegal choice.
  Choices Read(const Contract& contract) const {
    if (contract.kernel != kernel_) {
      throw ConfigError(
          fmt::format("contract: is for kernel '{}', not {}", contract.kernel, kernel_));
    }
    for (const auto& [name, value] : contract.choices) RequireKnown(name);
    Choices choices;
    choices.orders = contract.orders;
    for (const ChoiceField<Choices>& field : fields_) {
      const auto given = contract.choices.find(field.choice.name);
      if (given == contract.choices.end()) {
        throw ConfigError(fmt::format("{}: the contract has no value for it", field.choice.name));
      }
      field.set(&choices, Position(field.choice, given->second));
    }
    return choices;
  }

  Settings Write(const Choices& choices) const {
    Settings settings;
    for (const ChoiceField<Choices>& field : fields_) {
      settings[field.choice.name] = field.choice.values[field.get(choices)];
    }
    return settings;
  }

 private:
  void RequireKnown(std::string_view name) const {
    if (std::ranges::find(choices_, name, &Choice::name) != choices_.end()) return;
    throw ConfigError(fmt::format("{}: {} has no such choice", name, kernel_));
  }

  static size_t Position(const Choice& choice, const std::string& value) {
    const auto found = std::ranges::find(choice.values, value);
    if (found != choice.values.end()) return static_cast<size_t>(found - choice.values.begin());
    throw ConfigError(fmt::format("{}: '{}' is not one of {}", choice.name, value,
                                  fmt::join(choice.values, ", ")));
  }

  std::string_view kernel_;
  std::vector<ChoiceField<Choices>> fields_;
  std::vector<NamedChoices<Choices>> named_;
  std::vector<Choice> choices_;
};

}  // namespace samebits

#endif  // SAMEBITS_MODEL_CHOICE_TABLE_H_
