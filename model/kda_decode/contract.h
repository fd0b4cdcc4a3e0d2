// Everything in kda_decode that can change a bit, as one struct of named choices. The defaults are
// KdaWS on sm_90; SPEC.md section 10 lists what the specification leaves open. One table in
// contract.cc names the values, their documentation and the first tensor that they can change.
#ifndef SAMEBITS_MODEL_KDA_DECODE_CONTRACT_H_
#define SAMEBITS_MODEL_KDA_DECODE_CONTRACT_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/choice_table.h"
#include "model/contract.h"

namespace samebits::kda_decode {

enum class SpecialFunctions : uint8_t { kClosedForm, kCorrectlyRounded };
enum class MatrixUnitName : uint8_t {
  kSm90MmaSync,
  kSm80MmaSync,
  kSm100MmaSync,
  kExactRn,
  kSequentialFma,
};
enum class Arithmetic : uint8_t { kIeee, kFtz };
enum class ExpForm : uint8_t { kEx2, kEx2Ftz, kExact };
enum class Division : uint8_t { kDivFull, kDivFullFtz, kRcpApprox, kRn };
enum class SiluForm : uint8_t { kDivide, kTimesSigmoid };
enum class MultiplyAdd : uint8_t { kFused, kSeparate };
enum class ConvDirection : uint8_t { kOldestFirst, kNewestFirst };
enum class ToBf16 : uint8_t { kBf16, kNone, kBf16Rz };
enum class NormTree : uint8_t {
  kWs,
  kWsAscending,
  kWsTailAscending,  // the exchange of P2 values descends, the rest of the warp ascends (4.2)
  kButterfly128,
  kTriton,  // kWs for one token (4 warps), kTriton1Warp for more
  kTriton1Warp,
  kTriton16x8,
  kSequential,
  kPairwise,
};
enum class SquareSum : uint8_t { kTree, kSeparate, kFused };
enum class NormReciprocal : uint8_t { kRcpSqrt, kDivSqrt, kRsqrt, kRn };
enum class QueryScale : uint8_t { kAfter, kFolded };
enum class GateChain : uint8_t { kConfig, kChain8, kChain4x2, kChain2x4, kSkinny };
enum class GateForm : uint8_t { kBoundedSigmoid, kSoftplus };
enum class DotTree : uint8_t { kWs, kWsAscending, kTriton1Warp, kSequential, kPairwise };
enum class DecayPosition : uint8_t { kBeforeDot, kAfterDot };
enum class CorrectionForm : uint8_t { kSubMul, kFma };
enum class Variance : uint8_t { kSeparate, kFused };
enum class OutProduct : uint8_t { kRstdWeightGate, kWeightFirst, kGateFirst };
enum class OutputRounding : uint8_t { kRn, kRz };
enum class RecordRow : uint8_t { kSlot0, kCurrent, kRequest };

struct Choices {
  SpecialFunctions special_functions = SpecialFunctions::kClosedForm;
  Arithmetic arithmetic = Arithmetic::kIeee;
  ExpForm exp = ExpForm::kEx2;
  ConvDirection conv_order = ConvDirection::kOldestFirst;
  MultiplyAdd conv_multiply_add = MultiplyAdd::kFused;
  SiluForm silu_form = SiluForm::kDivide;
  Division silu_division = Division::kDivFull;
  ToBf16 silu_rounding = ToBf16::kBf16;
  NormTree qk_norm_tree = NormTree::kWs;
  SquareSum square_sum = SquareSum::kTree;
  NormReciprocal qk_norm_reciprocal = NormReciprocal::kRcpSqrt;
  QueryScale q_scale = QueryScale::kAfter;
  MatrixUnitName matrix_unit = MatrixUnitName::kSm90MmaSync;
  GateChain raw_gate_chain = GateChain::kConfig;
  ToBf16 raw_gate_rounding = ToBf16::kBf16;
  GateForm gate_form = GateForm::kBoundedSigmoid;
  Division sigmoid_division = Division::kDivFull;
  DecayPosition decay_position = DecayPosition::kBeforeDot;
  DotTree key_dot_tree = DotTree::kWs;
  MultiplyAdd key_dot_multiply_add = MultiplyAdd::kFused;
  CorrectionForm correction_form = CorrectionForm::kSubMul;
  MultiplyAdd update_multiply_add = MultiplyAdd::kFused;
  DotTree out_dot_tree = DotTree::kWs;
  MultiplyAdd out_dot_multiply_add = MultiplyAdd::kFused;
  ToBf16 out_rounding = ToBf16::kBf16;
  NormTree out_norm_tree = NormTree::kWs;
  Variance variance = Variance::kSeparate;
  NormReciprocal out_norm_reciprocal = NormReciprocal::kRcpSqrt;
  OutProduct out_product_order = OutProduct::kRstdWeightGate;
  OutputRounding output_rounding = OutputRounding::kRn;
  RecordRow record_row = RecordRow::kSlot0;
  Orders orders = {};  // sums whose tree no choice names (trees.h)

  bool operator==(const Choices&) const = default;
};

const ChoiceTable<Choices>& ContractTable();
/// Throws as ChoiceTable::Read.
Choices ReadChoices(const Contract& contract);

}  // namespace samebits::kda_decode

#endif  // SAMEBITS_MODEL_KDA_DECODE_CONTRACT_H_
