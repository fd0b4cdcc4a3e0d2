#include "model/shared_expert/contract.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace samebits::shared_expert {
namespace {

/// A choice and its place in Choices; values stand in the order of the enumerators.
struct Field {
  Choice choice;
  size_t (*get)(const Choices&);
  void (*set)(Choices*, size_t);
};

template <auto kMember>
Field MakeField(ChoiceKind kind, std::string name, std::string doc, std::vector<std::string> values,
                std::string first_tap) {
  return {{std::move(name), std::move(doc), std::move(values), std::move(first_tap), kind},
          [](const Choices& choices) { return static_cast<size_t>(choices.*kMember); },
          [](Choices* choices, size_t value) {
            auto& member = choices->*kMember;
            member = static_cast<std::remove_reference_t<decltype(member)>>(value);
          }};
}

const std::vector<std::string> kMatrixUnits = {"sm_90.wgmma",        "sm_100.tcgen05",
                                               "sm_90.mma_sync",     "sm_80.mma_sync",
                                               "reference.exact_rn", "reference.sequential_fma"};

std::vector<Field> MakeFields() {
  using C = Choices;
  return {
      MakeField<&C::split>(ChoiceKind::kOrder, "split",
                           "which CTAs of a cluster take the longer K spans (3.1, P1)",
                           {"balanced_first", "floor", "balanced_last", "ceil_chunk"}, "part"),
      MakeField<&C::matrix_unit>(ChoiceKind::kUnit, "matrix_unit",
                                 "profile of the matrix instruction (4.1, P3)", kMatrixUnits,
                                 "part"),
      MakeField<&C::arithmetic>(ChoiceKind::kSpecialValues, "arithmetic",
                                "subnormals of add, mul, fma and division (4.10, P5)",
                                {"ieee", "ftz"}, "sum"),
      MakeField<&C::special_functions>(ChoiceKind::kUnit, "special_functions",
                                       "results of the special-function unit (4.6)",
                                       {"closed_form", "correctly_rounded"}, "situ.gate"),
      MakeField<&C::situ>(ChoiceKind::kForm, "situ", "form of SiTU, S0 to S5 (4.6, P2)",
                          {"stock", "torch", "mul_sigmoid", "approx", "triton", "three_products"},
                          "situ.gate"),
      MakeField<&C::zero>(ChoiceKind::kSpecialValues, "zero",
                          "-0 becomes +0 after the rounding to bf16, or before (4.7, P4)",
                          {"post_round", "pre_round"}, "push"),
      MakeField<&C::consumer_sum>(ChoiceKind::kOrder, "consumer_sum",
                                  "order of the sum over source ranks (4.9, P6)",
                                  {"ascending", "descending", "pairwise"}, "reduced"),
  };
}

const std::vector<Field>& Fields() {
  static const std::vector<Field> fields = MakeFields();
  return fields;
}

struct Named {
  std::string_view name;
  std::string_view profile;
  Choices choices;
};

const std::vector<Named>& NamedContracts() {
  static const std::vector<Named> contracts = [] {
    Choices sm_100;
    sm_100.matrix_unit = MatrixUnitName::kSm100Tcgen05;
    return std::vector<Named>{{"shared_expert.sm_90", "sm_90", Choices{}},
                              {"shared_expert.sm_100", "sm_100", sm_100}};
  }();
  return contracts;
}

}  // namespace

std::string_view ProfileName(MatrixUnitName unit) {
  return kMatrixUnits.at(static_cast<size_t>(unit));
}

std::span<const Choice> ChoiceList() {
  static const std::vector<Choice> choices = [] {
    std::vector<Choice> list;
    for (const Field& field : Fields()) list.push_back(field.choice);
    return list;
  }();
  return choices;
}

std::vector<std::string> ContractNames() {
  std::vector<std::string> names;
  for (const Named& contract : NamedContracts()) names.emplace_back(contract.name);
  return names;
}

Contract MakeNamedContract(std::string_view name) {
  for (const Named& contract : NamedContracts()) {
    if (!name.empty() && contract.name != name) continue;
    return {.kernel = "shared_expert",
            .name = std::string(contract.name),
            .profile = std::string(contract.profile),
            .choices = WriteChoices(contract.choices)};
  }
  throw ConfigError(
      fmt::format("contract: '{}' is not one of {}", name, fmt::join(ContractNames(), ", ")));
}

Choices ReadChoices(const Contract& contract) {
  if (contract.kernel != "shared_expert") {
    throw ConfigError(
        fmt::format("contract: is for kernel '{}', not shared_expert", contract.kernel));
  }
  for (const auto& [name, value] : contract.choices) {
    const bool known = std::ranges::any_of(
        ChoiceList(), [&name = name](const Choice& choice) { return choice.name == name; });
    if (!known) throw ConfigError(fmt::format("{}: shared_expert has no such choice", name));
  }
  Choices choices;
  for (const Field& field : Fields()) {
    const auto given = contract.choices.find(field.choice.name);
    if (given == contract.choices.end()) {
      throw ConfigError(fmt::format("{}: the contract has no value for it", field.choice.name));
    }
    const auto& values = field.choice.values;
    const auto value = std::ranges::find(values, given->second);
    if (value == values.end()) {
      throw ConfigError(fmt::format("{}: '{}' is not one of {}", field.choice.name, given->second,
                                    fmt::join(values, ", ")));
    }
    field.set(&choices, static_cast<size_t>(value - values.begin()));
  }
  return choices;
}

Settings WriteChoices(const Choices& choices) {
  Settings settings;
  for (const Field& field : Fields()) {
    settings[field.choice.name] = field.choice.values[field.get(choices)];
  }
  return settings;
}

}  // namespace samebits::shared_expert
