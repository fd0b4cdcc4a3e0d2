#include "model/kda_pre/contract.h"

#include <string>
#include <vector>

namespace samebits::kda_pre {
namespace {

const std::vector<std::string> kMultiplyAdds = {"separate", "fused"};
const std::vector<std::string> kLaneTrees = {"halving", "pairwise", "sequential"};
const std::vector<std::string> kSliceTrees = {"groups_8x7", "groups_7x8", "sequential"};
const std::vector<std::string> kTranscendentals = {"portable", "correctly_rounded", "ulp_up",
                                                   "ulp_down"};
const std::vector<std::string> kFlushes = {"flushed", "kept"};
const std::vector<std::string> kRoundings = {"bf16", "none"};
const std::vector<std::string> kMatrixUnits = {"gfx950.late_8",      "gfx950.late_16",
                                               "gfx950.late_32",     "gfx942.mfma_16x16x16",
                                               "reference.exact_rn", "reference.sequential_fma"};

using C = Choices;

std::vector<ChoiceField<Choices>> SeamFields() {
  return {
      MakeChoiceField<&C::slice_tree>(ChoiceKind::kOrder, "slice_tree",
                                      "quads of a slice in PART (T3)", kLaneTrees, "part"),
      MakeChoiceField<&C::slice_multiply_add>(
          ChoiceKind::kContraction, "slice_multiply_add",
          "products of PART; exact in the normal range (4.2, 4.13)", kMultiplyAdds, "part"),
      MakeChoiceField<&C::source_tree>(ChoiceKind::kOrder, "source_tree",
                                       "slices of a source's sums (T4, T5)", kSliceTrees, "logit"),
      MakeChoiceField<&C::source_variance>(ChoiceKind::kContraction, "source_variance",
                                           "SQ*INV_H + eps (4.3)", kMultiplyAdds, "logit"),
      MakeChoiceField<&C::rsq>(ChoiceKind::kUnit, "rsq", "results of v_rsq_f32 (7.3, A-6)",
                               kTranscendentals, "logit"),
      MakeChoiceField<&C::rsq_flush>(ChoiceKind::kSpecialValues, "rsq_flush",
                                     "subnormal arguments of v_rsq_f32 (7.3)", kFlushes, "logit"),
      MakeChoiceField<&C::max_nan>(ChoiceKind::kSpecialValues, "max_nan",
                                   "maximum of the logits (7.2, A-5)", {"propagated", "ignored"},
                                   "weight"),
      MakeChoiceField<&C::exp2>(ChoiceKind::kUnit, "exp2", "results of v_exp_f32 (7.3, A-6)",
                                kTranscendentals, "weight"),
      MakeChoiceField<&C::exp2_flush>(ChoiceKind::kSpecialValues, "exp2_flush",
                                      "results of v_exp_f32 below 2^-126 (7.3)", kFlushes,
                                      "weight"),
      MakeChoiceField<&C::weight_tree>(ChoiceKind::kOrder, "weight_tree",
                                       "sum of the source weights (T7)", kLaneTrees, "weight"),
      MakeChoiceField<&C::mix_multiply_add>(ChoiceKind::kContraction, "mix_multiply_add",
                                            "products of the mix (4.4)", kMultiplyAdds, "mixed"),
      MakeChoiceField<&C::mix_division>(ChoiceKind::kForm, "mix_division",
                                        "acc / den per column, or acc times one reciprocal (4.4)",
                                        {"rn", "reciprocal"}, "mixed"),
      MakeChoiceField<&C::mix_norm_tree>(ChoiceKind::kOrder, "mix_norm_tree",
                                         "quads of a slice in MSQ (T9)", kLaneTrees, "msq"),
      MakeChoiceField<&C::mix_norm_multiply_add>(ChoiceKind::kContraction, "mix_norm_multiply_add",
                                                 "squares of MSQ (4.4)", kMultiplyAdds, "msq"),
      MakeChoiceField<&C::mix_norm_slices>(ChoiceKind::kOrder, "mix_norm_slices",
                                           "slices of the mix's norm (T4, T5)", kSliceTrees, "x"),
      MakeChoiceField<&C::mix_variance>(ChoiceKind::kContraction, "mix_variance",
                                        "TOT*INV_H + out_eps (4.4)", kMultiplyAdds, "x"),
  };
}

std::vector<ChoiceField<Choices>> ProjectionFields() {
  return {
      MakeChoiceField<&C::matrix_unit>(ChoiceKind::kUnit, "matrix_unit",
                                       "profile of the matrix instruction (4.6, A-4)", kMatrixUnits,
                                       "proj"),
      MakeChoiceField<&C::matrix_slots>(
          ChoiceKind::kOrder, "matrix_slots",
          "one K=32 instruction, or two of K=16 that split the slots of "
          "each lane group (4.6, A-7)",
          {"k32", "two_k16"}, "proj"),
      MakeChoiceField<&C::projection_chains>(
          ChoiceKind::kOrder, "projection_chains",
          "chunks of in_proj: wave w has w, w+8, ... (4.5, A-12)",
          {"interleaved_8", "interleaved_4", "contiguous_8", "one"}, "proj"),
  };
}

std::vector<ChoiceField<Choices>> AttentionFields() {
  return {
      MakeChoiceField<&C::conv_multiply_add>(ChoiceKind::kContraction, "conv_multiply_add",
                                             "products of the convolution (4.7)", kMultiplyAdds,
                                             "qk"),
      MakeChoiceField<&C::conv_rounding>(ChoiceKind::kRounding, "conv_rounding",
                                         "rounding of the convolution's output (4.7)", kRoundings,
                                         "qk"),
      MakeChoiceField<&C::gate_order>(ChoiceKind::kOrder, "gate_order",
                                      "k of f_b in the order of the lanes, or ascending (4.8)",
                                      {"lanes", "natural"}, "gate.raw"),
      MakeChoiceField<&C::gate_rounding>(ChoiceKind::kRounding, "gate_rounding",
                                         "rounding of f_b's output (4.8)", kRoundings, "gate.raw"),
      MakeChoiceField<&C::qk_norm_tree>(ChoiceKind::kOrder, "qk_norm_tree",
                                        "lanes of the squares of q and k (T14)", kLaneTrees, "qkn"),
      MakeChoiceField<&C::qk_norm_multiply_add>(
          ChoiceKind::kContraction, "qk_norm_multiply_add",
          "those squares; exact in the normal range (4.9, 4.13)", kMultiplyAdds, "qkn"),
      MakeChoiceField<&C::q_scale>(ChoiceKind::kForm, "q_scale",
                                   "128^-0.5 joins q's factor, or multiplies q after (4.9)",
                                   {"folded", "after"}, "qkn"),
      MakeChoiceField<&C::key_dot_tree>(ChoiceKind::kOrder, "key_dot_tree",
                                        "threads of the sum over keys of S and k (T15)", kLaneTrees,
                                        "dot"),
      MakeChoiceField<&C::key_dot_multiply_add>(ChoiceKind::kContraction, "key_dot_multiply_add",
                                                "products of that sum (4.10)", kMultiplyAdds,
                                                "dot"),
      MakeChoiceField<&C::update_multiply_add>(ChoiceKind::kContraction, "update_multiply_add",
                                               "product of the update (4.10)", kMultiplyAdds,
                                               "state.after"),
      MakeChoiceField<&C::out_dot_tree>(ChoiceKind::kOrder, "out_dot_tree",
                                        "threads of the sum over keys of S and q (T15)", kLaneTrees,
                                        "out.raw"),
      MakeChoiceField<&C::out_dot_multiply_add>(ChoiceKind::kContraction, "out_dot_multiply_add",
                                                "products of that sum (4.10)", kMultiplyAdds,
                                                "out.raw"),
      MakeChoiceField<&C::out_rounding>(ChoiceKind::kRounding, "out_rounding",
                                        "rounding of the recurrence's output (4.10)", kRoundings,
                                        "out.raw"),
      MakeChoiceField<&C::out_norm_multiply_add>(
          ChoiceKind::kContraction, "out_norm_multiply_add",
          "squares of the output; exact in the normal range (4.11)", kMultiplyAdds, "onrm"),
      MakeChoiceField<&C::out_variance>(ChoiceKind::kContraction, "out_variance",
                                        "ss*INV_D + onorm_eps; exact product (4.11)", kMultiplyAdds,
                                        "core_out"),
  };
}

/// first_tap holds for the first token of a request: what later tokens compute depends on all that
/// came before.
std::vector<ChoiceField<Choices>> MakeFields() {
  std::vector<ChoiceField<Choices>> list = SeamFields();
  for (auto* more : {&ProjectionFields, &AttentionFields}) {
    for (ChoiceField<Choices>& field : more()) list.push_back(std::move(field));
  }
  return list;
}

Choices Gfx942() {
  Choices c;
  c.matrix_unit = MatrixUnitName::kGfx942;
  c.matrix_slots = SlotMap::kTwoK16;
  return c;
}

/// gfx950 as a compiler that may contract everywhere would build it (SPEC.md 4.13, 7.2).
Choices Contracted() {
  Choices c;
  for (auto member : {&C::slice_multiply_add, &C::source_variance, &C::mix_multiply_add,
                      &C::mix_norm_multiply_add, &C::mix_variance, &C::conv_multiply_add,
                      &C::qk_norm_multiply_add, &C::key_dot_multiply_add, &C::update_multiply_add,
                      &C::out_dot_multiply_add, &C::out_norm_multiply_add, &C::out_variance}) {
    c.*member = MultiplyAdd::kFused;
  }
  return c;
}

std::vector<NamedChoices<Choices>> NamedContracts() {
  return {{"kda_pre.gfx950", "gfx950", Choices{}},
          {"kda_pre.gfx942", "gfx942", Gfx942()},
          {"contracted.gfx950", "gfx950", Contracted()}};
}

}  // namespace

const ChoiceTable<Choices>& ContractTable() {
  static const ChoiceTable<Choices> table("kda_pre", MakeFields(), NamedContracts());
  return table;
}

Choices ReadChoices(const Contract& contract) { return ContractTable().Read(contract); }

std::string_view ProfileName(MatrixUnitName unit) {
  return kMatrixUnits[static_cast<size_t>(unit)];
}

}  // namespace samebits::kda_pre
