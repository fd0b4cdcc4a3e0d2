#include "model/shared_expert/contract.h"

#include <string>
#include <vector>

namespace samebits::shared_expert {
namespace {

const std::vector<std::string> kMatrixUnits = {"sm_90.wgmma",        "sm_100.tcgen05",
                                               "sm_90.mma_sync",     "sm_80.mma_sync",
                                               "reference.exact_rn", "reference.sequential_fma"};

std::vector<ChoiceField<Choices>> MakeFields() {
  using C = Choices;
  return {
      MakeChoiceField<&C::split>(
          ChoiceKind::kOrder, "split", "which CTAs of a cluster take the longer K spans (3.1, P1)",
          {"balanced_first", "floor", "balanced_last", "ceil_chunk"}, "part"),
      MakeChoiceField<&C::matrix_unit>(ChoiceKind::kUnit, "matrix_unit",
                                       "profile of the matrix instruction (4.1, P3)", kMatrixUnits,
                                       "part"),
      MakeChoiceField<&C::arithmetic>(ChoiceKind::kSpecialValues, "arithmetic",
                                      "subnormals of add, mul, fma and division (4.10, P5)",
                                      {"ieee", "ftz"}, "sum"),
      MakeChoiceField<&C::special_functions>(ChoiceKind::kUnit, "special_functions",
                                             "results of the special-function unit (4.6)",
                                             {"closed_form", "correctly_rounded"}, "situ.gate"),
      MakeChoiceField<&C::situ>(
          ChoiceKind::kForm, "situ", "form of SiTU, S0 to S5 (4.6, P2)",
          {"stock", "torch", "mul_sigmoid", "approx", "triton", "three_products"}, "situ.gate"),
      MakeChoiceField<&C::zero>(ChoiceKind::kSpecialValues, "zero",
                                "-0 becomes +0 after the rounding to bf16, or before (4.7, P4)",
                                {"post_round", "pre_round"}, "push"),
      MakeChoiceField<&C::consumer_sum>(ChoiceKind::kOrder, "consumer_sum",
                                        "order of the sum over source ranks (4.9, P6)",
                                        {"ascending", "descending", "pairwise"}, "reduced"),
  };
}

std::vector<NamedChoices<Choices>> NamedContracts() {
  Choices sm_100;
  sm_100.matrix_unit = MatrixUnitName::kSm100Tcgen05;
  return {{"shared_expert.sm_90", "sm_90", Choices{}}, {"shared_expert.sm_100", "sm_100", sm_100}};
}

}  // namespace

std::string_view ProfileName(MatrixUnitName unit) {
  return kMatrixUnits.at(static_cast<size_t>(unit));
}

const ChoiceTable<Choices>& ContractTable() {
  static const ChoiceTable<Choices> table("shared_expert", MakeFields(), NamedContracts());
  return table;
}

Choices ReadChoices(const Contract& contract) { return ContractTable().Read(contract); }

}  // namespace samebits::shared_expert
