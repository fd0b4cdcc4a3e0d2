#include "model/kda_decode/contract.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace samebits::kda_decode {
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

const std::vector<std::string> kDivisions = {"div_full", "div_full_ftz", "rcp_approx", "rn"};
const std::vector<std::string> kMultiplyAdds = {"fused", "separate"};
const std::vector<std::string> kRoundings = {"bf16", "none", "bf16_rz"};
const std::vector<std::string> kNormTrees = {"ws",           "ws_ascending", "ws_tail_ascending",
                                             "butterfly128", "triton",       "triton_1warp",
                                             "triton_16x8",  "sequential",   "pairwise"};
const std::vector<std::string> kDotTrees = {"ws", "ws_ascending", "triton_1warp", "sequential",
                                            "pairwise"};
const std::vector<std::string> kReciprocals = {"rcp_sqrt", "div_sqrt", "rsqrt", "rn"};

/// first_tap holds for the first token of a request: what later tokens compute depends on all that
/// came before.
std::vector<Field> MakeFields() {
  using C = Choices;
  return {
      MakeField<&C::arithmetic>(ChoiceKind::kSpecialValues, "arithmetic",
                                "subnormals of add, mul and fma (A2)", {"ieee", "ftz"},
                                "conv.acc.q"),
      MakeField<&C::conv_order>(ChoiceKind::kOrder, "conv_order",
                                "first tap of the convolution's sum (4.1)",
                                {"oldest_first", "newest_first"}, "conv.acc.q"),
      MakeField<&C::conv_multiply_add>(ChoiceKind::kContraction, "conv_multiply_add",
                                       "products of the convolution (4.1)", kMultiplyAdds,
                                       "conv.acc.q"),
      MakeField<&C::special_functions>(ChoiceKind::kUnit, "special_functions",
                                       "results of the special-function unit (A17)",
                                       {"closed_form", "correctly_rounded"}, "conv.q"),
      MakeField<&C::exp>(ChoiceKind::kForm, "exp",
                         "exponential: ex2 of x*log2(e), flushing or not, or exact (A3)",
                         {"ex2", "ex2_ftz", "exact"}, "conv.q"),
      MakeField<&C::silu_form>(ChoiceKind::kForm, "silu_form",
                               "x / (1 + exp(-x)), or x * sigmoid(x) (3.2, 6)",
                               {"divide", "times_sigmoid"}, "conv.q"),
      MakeField<&C::silu_division>(ChoiceKind::kForm, "silu_division", "division of silu (3.0, A4)",
                                   kDivisions, "conv.q"),
      MakeField<&C::silu_rounding>(ChoiceKind::kRounding, "silu_rounding",
                                   "rounding of silu's result (3.2)", kRoundings, "conv.q"),
      MakeField<&C::qk_norm_tree>(ChoiceKind::kOrder, "qk_norm_tree",
                                  "sum of the squares of q and k (4.2, 6, A6)", kNormTrees,
                                  "norm.q.sum"),
      MakeField<&C::square_sum>(ChoiceKind::kContraction, "square_sum",
                                "squares join their sums as the tree says, or contraction is "
                                "forced off or on (3.10, A1)",
                                {"tree", "separate", "fused"}, "norm.q.sum"),
      MakeField<&C::qk_norm_reciprocal>(ChoiceKind::kForm, "qk_norm_reciprocal",
                                        "1/sqrt of q's and k's sums (3.3, A14)", kReciprocals,
                                        "norm.q.inv"),
      MakeField<&C::q_scale>(ChoiceKind::kForm, "q_scale",
                             "scale multiplies the normalised q, or its reciprocal (3.4)",
                             {"after", "folded"}, "norm.q"),
      MakeField<&C::matrix_unit>(ChoiceKind::kUnit, "matrix_unit",
                                 "profile of the matrix instruction (A5)",
                                 {"sm_90.mma_sync", "sm_80.mma_sync", "sm_100.mma_sync",
                                  "reference.exact_rn", "reference.sequential_fma"},
                                 "gate.acc"),
      MakeField<&C::raw_gate_chain>(ChoiceKind::kOrder, "raw_gate_chain",
                                    "chains of the raw gate; config: by gate_mode (3.6, 6)",
                                    {"config", "chain8", "chain4x2", "chain2x4", "skinny"},
                                    "gate.acc"),
      MakeField<&C::raw_gate_rounding>(ChoiceKind::kRounding, "raw_gate_rounding",
                                       "rounding of the raw gate (3.6)", kRoundings, "gate.raw"),
      MakeField<&C::gate_form>(ChoiceKind::kForm, "gate_form",
                               "log decay: lower_bound*sigmoid(A*g), or -A*softplus(g) (3.7)",
                               {"bounded_sigmoid", "softplus"}, "gate.arg"),
      MakeField<&C::sigmoid_division>(ChoiceKind::kForm, "sigmoid_division",
                                      "division of the sigmoids of gate, beta and output (A4)",
                                      kDivisions, "gate.sigmoid"),
      MakeField<&C::decay_position>(ChoiceKind::kForm, "decay_position",
                                    "the dot reads the decayed state or not (3.8)",
                                    {"before_dot", "after_dot"}, "dot"),
      MakeField<&C::key_dot_tree>(ChoiceKind::kOrder, "key_dot_tree",
                                  "sum over keys of state and k (4.3, 6)", kDotTrees, "dot"),
      MakeField<&C::key_dot_multiply_add>(ChoiceKind::kContraction, "key_dot_multiply_add",
                                          "products of that sum (4.3)", kMultiplyAdds, "dot"),
      MakeField<&C::correction_form>(ChoiceKind::kForm, "correction_form",
                                     "(v - dot)*beta, or fma(-dot, beta, v*beta) (3.8 c)",
                                     {"sub_mul", "fma"}, "correction"),
      MakeField<&C::update_multiply_add>(ChoiceKind::kContraction, "update_multiply_add",
                                         "product of the update (3.8 d)", kMultiplyAdds,
                                         "state.after"),
      MakeField<&C::out_dot_tree>(ChoiceKind::kOrder, "out_dot_tree",
                                  "sum over keys of state and q (4.3, 6)", kDotTrees, "out.acc"),
      MakeField<&C::out_dot_multiply_add>(ChoiceKind::kContraction, "out_dot_multiply_add",
                                          "products of that sum (4.3)", kMultiplyAdds, "out.acc"),
      MakeField<&C::out_rounding>(ChoiceKind::kRounding, "out_rounding",
                                  "rounding of the recurrence's output (3.8 e)", kRoundings,
                                  "out.raw"),
      MakeField<&C::out_norm_tree>(ChoiceKind::kOrder, "out_norm_tree",
                                   "sum of the squares of the output (4.2, 6, A6)", kNormTrees,
                                   "out.sum"),
      MakeField<&C::variance>(ChoiceKind::kContraction, "variance",
                              "ss/128 + eps, contracted or not (3.10, A1)", {"separate", "fused"},
                              "out.inv"),
      MakeField<&C::out_norm_reciprocal>(ChoiceKind::kForm, "out_norm_reciprocal",
                                         "1/sqrt of the variance (3.9, A14)", kReciprocals,
                                         "out.inv"),
      MakeField<&C::out_product_order>(ChoiceKind::kOrder, "out_product_order",
                                       "((o*rstd)*w)*g, (o*(rstd*w))*g or ((o*rstd)*g)*w (3.9)",
                                       {"rstd_weight_gate", "weight_first", "gate_first"},
                                       "out.scaled"),
      MakeField<&C::output_rounding>(ChoiceKind::kRounding, "output_rounding",
                                     "rounding of the output to bf16 (3.9)", {"rn", "rz"},
                                     "output"),
      MakeField<&C::record_row>(ChoiceKind::kLayout, "record_row",
                                "row of the records: slots[r][0], the current slot, or "
                                "the request (A7)",
                                {"slot0", "current", "request"}, "correction_record"),
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

/// The stock path: convolution update, GEMM, recurrent step and gated norm, all Triton but the GEMM
/// (SPEC.md section 6, measured with Triton 3.6 on sm_90; A11).
Choices StockTriton() {
  Choices c;
  c.qk_norm_tree = NormTree::kTriton;
  c.qk_norm_reciprocal = NormReciprocal::kDivSqrt;
  c.key_dot_tree = DotTree::kTriton1Warp;
  c.out_dot_tree = DotTree::kTriton1Warp;
  c.out_norm_tree = NormTree::kTriton16x8;
  c.out_norm_reciprocal = NormReciprocal::kDivSqrt;
  return c;
}

const std::vector<Named>& NamedContracts() {
  static const std::vector<Named> contracts = [] {
    Choices sm_100;
    sm_100.matrix_unit = MatrixUnitName::kSm100MmaSync;
    return std::vector<Named>{{"kda_ws.sm_90", "sm_90", Choices{}},
                              {"kda_ws.sm_100", "sm_100", sm_100},
                              {"stock.triton", "sm_90", StockTriton()}};
  }();
  return contracts;
}

}  // namespace

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
    return {.kernel = "kda_decode",
            .name = std::string(contract.name),
            .profile = std::string(contract.profile),
            .choices = WriteChoices(contract.choices)};
  }
  throw ConfigError(
      fmt::format("contract: '{}' is not one of {}", name, fmt::join(ContractNames(), ", ")));
}

Choices ReadChoices(const Contract& contract) {
  if (contract.kernel != "kda_decode") {
    throw ConfigError(fmt::format("contract: is for kernel '{}', not kda_decode", contract.kernel));
  }
  for (const auto& [name, value] : contract.choices) {
    const bool known = std::ranges::any_of(
        ChoiceList(), [&name = name](const Choice& choice) { return choice.name == name; });
    if (!known) throw ConfigError(fmt::format("{}: kda_decode has no such choice", name));
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

}  // namespace samebits::kda_decode
