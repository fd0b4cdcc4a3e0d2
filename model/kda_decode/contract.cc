#include "model/kda_decode/contract.h"

#include <string>
#include <vector>

namespace samebits::kda_decode {
namespace {

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
std::vector<ChoiceField<Choices>> MakeFields() {
  using C = Choices;
  return {
      MakeChoiceField<&C::arithmetic>(ChoiceKind::kSpecialValues, "arithmetic",
                                      "subnormals of add, mul and fma (A2)", {"ieee", "ftz"},
                                      "conv.acc.q"),
      MakeChoiceField<&C::conv_order>(ChoiceKind::kOrder, "conv_order",
                                      "first tap of the convolution's sum (4.1)",
                                      {"oldest_first", "newest_first"}, "conv.acc.q"),
      MakeChoiceField<&C::conv_multiply_add>(ChoiceKind::kContraction, "conv_multiply_add",
                                             "products of the convolution (4.1)", kMultiplyAdds,
                                             "conv.acc.q"),
      MakeChoiceField<&C::special_functions>(ChoiceKind::kUnit, "special_functions",
                                             "results of the special-function unit (A17)",
                                             {"closed_form", "correctly_rounded"}, "conv.q"),
      MakeChoiceField<&C::exp>(ChoiceKind::kForm, "exp",
                               "exponential: ex2 of x*log2(e), flushing or not, or exact (A3)",
                               {"ex2", "ex2_ftz", "exact"}, "conv.q"),
      MakeChoiceField<&C::silu_form>(ChoiceKind::kForm, "silu_form",
                                     "x / (1 + exp(-x)), or x * sigmoid(x) (3.2, 6)",
                                     {"divide", "times_sigmoid"}, "conv.q"),
      MakeChoiceField<&C::silu_division>(ChoiceKind::kForm, "silu_division",
                                         "division of silu (3.0, A4)", kDivisions, "conv.q"),
      MakeChoiceField<&C::silu_rounding>(ChoiceKind::kRounding, "silu_rounding",
                                         "rounding of silu's result (3.2)", kRoundings, "conv.q"),
      MakeChoiceField<&C::qk_norm_tree>(ChoiceKind::kOrder, "qk_norm_tree",
                                        "sum of the squares of q and k (4.2, 6, A6)", kNormTrees,
                                        "norm.q.sum"),
      MakeChoiceField<&C::square_sum>(ChoiceKind::kContraction, "square_sum",
                                      "squares join their sums as the tree says, or contraction is "
                                      "forced off or on (3.10, A1)",
                                      {"tree", "separate", "fused"}, "norm.q.sum"),
      MakeChoiceField<&C::qk_norm_reciprocal>(ChoiceKind::kForm, "qk_norm_reciprocal",
                                              "1/sqrt of q's and k's sums (3.3, A14)", kReciprocals,
                                              "norm.q.inv"),
      MakeChoiceField<&C::q_scale>(ChoiceKind::kForm, "q_scale",
                                   "scale multiplies the normalised q, or its reciprocal (3.4)",
                                   {"after", "folded"}, "norm.q"),
      MakeChoiceField<&C::matrix_unit>(ChoiceKind::kUnit, "matrix_unit",
                                       "profile of the matrix instruction (A5)",
                                       {"sm_90.mma_sync", "sm_80.mma_sync", "sm_100.mma_sync",
                                        "reference.exact_rn", "reference.sequential_fma"},
                                       "gate.acc"),
      MakeChoiceField<&C::raw_gate_chain>(ChoiceKind::kOrder, "raw_gate_chain",
                                          "chains of the raw gate; config: by gate_mode (3.6, 6)",
                                          {"config", "chain8", "chain4x2", "chain2x4", "skinny"},
                                          "gate.acc"),
      MakeChoiceField<&C::raw_gate_rounding>(ChoiceKind::kRounding, "raw_gate_rounding",
                                             "rounding of the raw gate (3.6)", kRoundings,
                                             "gate.raw"),
      MakeChoiceField<&C::gate_form>(ChoiceKind::kForm, "gate_form",
                                     "log decay: lower_bound*sigmoid(A*g), or -A*softplus(g) (3.7)",
                                     {"bounded_sigmoid", "softplus"}, "gate.arg"),
      MakeChoiceField<&C::sigmoid_division>(
          ChoiceKind::kForm, "sigmoid_division",
          "division of the sigmoids of gate, beta and output (A4)", kDivisions, "gate.sigmoid"),
      MakeChoiceField<&C::decay_position>(ChoiceKind::kForm, "decay_position",
                                          "the dot reads the decayed state or not (3.8)",
                                          {"before_dot", "after_dot"}, "dot"),
      MakeChoiceField<&C::key_dot_tree>(ChoiceKind::kOrder, "key_dot_tree",
                                        "sum over keys of state and k (4.3, 6)", kDotTrees, "dot"),
      MakeChoiceField<&C::key_dot_multiply_add>(ChoiceKind::kContraction, "key_dot_multiply_add",
                                                "products of that sum (4.3)", kMultiplyAdds, "dot"),
      MakeChoiceField<&C::correction_form>(ChoiceKind::kForm, "correction_form",
                                           "(v - dot)*beta, or fma(-dot, beta, v*beta) (3.8 c)",
                                           {"sub_mul", "fma"}, "correction"),
      MakeChoiceField<&C::update_multiply_add>(ChoiceKind::kContraction, "update_multiply_add",
                                               "product of the update (3.8 d)", kMultiplyAdds,
                                               "state.after"),
      MakeChoiceField<&C::out_dot_tree>(ChoiceKind::kOrder, "out_dot_tree",
                                        "sum over keys of state and q (4.3, 6)", kDotTrees,
                                        "out.acc"),
      MakeChoiceField<&C::out_dot_multiply_add>(ChoiceKind::kContraction, "out_dot_multiply_add",
                                                "products of that sum (4.3)", kMultiplyAdds,
                                                "out.acc"),
      MakeChoiceField<&C::out_rounding>(ChoiceKind::kRounding, "out_rounding",
                                        "rounding of the recurrence's output (3.8 e)", kRoundings,
                                        "out.raw"),
      MakeChoiceField<&C::out_norm_tree>(ChoiceKind::kOrder, "out_norm_tree",
                                         "sum of the squares of the output (4.2, 6, A6)",
                                         kNormTrees, "out.sum"),
      MakeChoiceField<&C::variance>(ChoiceKind::kContraction, "variance",
                                    "ss/128 + eps, contracted or not (3.10, A1)",
                                    {"separate", "fused"}, "out.inv"),
      MakeChoiceField<&C::out_norm_reciprocal>(ChoiceKind::kForm, "out_norm_reciprocal",
                                               "1/sqrt of the variance (3.9, A14)", kReciprocals,
                                               "out.inv"),
      MakeChoiceField<&C::out_product_order>(
          ChoiceKind::kOrder, "out_product_order",
          "((o*rstd)*w)*g, (o*(rstd*w))*g or ((o*rstd)*g)*w (3.9)",
          {"rstd_weight_gate", "weight_first", "gate_first"}, "out.scaled"),
      MakeChoiceField<&C::output_rounding>(ChoiceKind::kRounding, "output_rounding",
                                           "rounding of the output to bf16 (3.9)", {"rn", "rz"},
                                           "output"),
      MakeChoiceField<&C::record_row>(ChoiceKind::kLayout, "record_row",
                                      "row of the records: slots[r][0], the current slot, or "
                                      "the request (A7)",
                                      {"slot0", "current", "request"}, "correction_record"),
  };
}

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

/// vLLM's fused decode kernel for CUDA, one token (SPEC.md 6.1).
Choices VllmFusedCuda() {
  Choices c;
  c.silu_form = SiluForm::kTimesSigmoid;
  c.silu_division = Division::kRn;
  c.silu_rounding = ToBf16::kNone;
  c.qk_norm_reciprocal = NormReciprocal::kRsqrt;
  c.q_scale = QueryScale::kFolded;
  c.sigmoid_division = Division::kRn;
  c.key_dot_tree = DotTree::kTriton1Warp;
  c.out_dot_tree = DotTree::kTriton1Warp;
  c.out_rounding = ToBf16::kNone;
  c.variance = Variance::kFused;
  c.out_norm_reciprocal = NormReciprocal::kRsqrt;
  return c;
}

std::vector<NamedChoices<Choices>> NamedContracts() {
  Choices sm_100;
  sm_100.matrix_unit = MatrixUnitName::kSm100MmaSync;
  return {{"kda_ws.sm_90", "sm_90", Choices{}},
          {"kda_ws.sm_100", "sm_100", sm_100},
          {"stock.triton", "sm_90", StockTriton()},
          {"vllm.fused_cuda", "sm_90", VllmFusedCuda()}};
}

}  // namespace

const ChoiceTable<Choices>& ContractTable() {
  static const ChoiceTable<Choices> table("kda_decode", MakeFields(), NamedContracts());
  return table;
}

Choices ReadChoices(const Contract& contract) { return ContractTable().Read(contract); }

}  // namespace samebits::kda_decode
