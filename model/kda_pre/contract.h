// Everything in kda_pre that can change a bit, as one struct of named choices. The defaults are K1
// on gfx950; SPEC.md section 10 lists what the specification leaves open. One table in contract.cc
// names the values, their documentation and the first tensor that they can change.
#ifndef SAMEBITS_MODEL_KDA_PRE_CONTRACT_H_
#define SAMEBITS_MODEL_KDA_PRE_CONTRACT_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/choice_table.h"
#include "model/contract.h"

namespace samebits::kda_pre {

enum class MultiplyAdd : uint8_t { kSeparate, kFused };
/// Sums over lanes: HALF_n (5), neighbours first, or one after the other.
enum class LaneTree : uint8_t { kHalving, kPairwise, kSequential };
enum class SliceTree : uint8_t { kGroups8x7, kGroups7x8, kSequential };
/// Results of v_exp_f32 and v_rsq_f32: appendix B, or that rounded correctly, or moved by one ulp.
enum class Transcendental : uint8_t { kPortable, kCorrectlyRounded, kUlpUp, kUlpDown };
enum class Flush : uint8_t { kFlushed, kKept };
enum class MaxNan : uint8_t { kPropagated, kIgnored };
enum class MixDivision : uint8_t { kRn, kReciprocal };
enum class MatrixUnitName : uint8_t {
  kGfx950Late8,
  kGfx950Late16,
  kGfx950Late32,
  kGfx942,
  kExactRn,
  kSequentialFma,
};
enum class SlotMap : uint8_t { kK32, kTwoK16 };
enum class WaveChains : uint8_t { kInterleaved8, kInterleaved4, kContiguous8, kOne };
enum class ToBf16 : uint8_t { kBf16, kNone };
enum class GateOrder : uint8_t { kLanes, kNatural };
enum class QueryScale : uint8_t { kFolded, kAfter };

struct Choices {
  LaneTree slice_tree = LaneTree::kHalving;
  MultiplyAdd slice_multiply_add = MultiplyAdd::kSeparate;
  SliceTree source_tree = SliceTree::kGroups8x7;
  MultiplyAdd source_variance = MultiplyAdd::kSeparate;
  Transcendental rsq = Transcendental::kPortable;
  Flush rsq_flush = Flush::kFlushed;
  MaxNan max_nan = MaxNan::kPropagated;
  Transcendental exp2 = Transcendental::kPortable;
  Flush exp2_flush = Flush::kFlushed;
  LaneTree weight_tree = LaneTree::kHalving;
  MultiplyAdd mix_multiply_add = MultiplyAdd::kSeparate;
  MixDivision mix_division = MixDivision::kRn;
  LaneTree mix_norm_tree = LaneTree::kHalving;
  MultiplyAdd mix_norm_multiply_add = MultiplyAdd::kSeparate;
  SliceTree mix_norm_slices = SliceTree::kGroups8x7;
  MultiplyAdd mix_variance = MultiplyAdd::kSeparate;
  MatrixUnitName matrix_unit = MatrixUnitName::kGfx950Late8;
  SlotMap matrix_slots = SlotMap::kK32;
  WaveChains projection_chains = WaveChains::kInterleaved8;
  MultiplyAdd conv_multiply_add = MultiplyAdd::kSeparate;
  ToBf16 conv_rounding = ToBf16::kBf16;
  GateOrder gate_order = GateOrder::kLanes;
  ToBf16 gate_rounding = ToBf16::kBf16;
  LaneTree qk_norm_tree = LaneTree::kHalving;
  MultiplyAdd qk_norm_multiply_add = MultiplyAdd::kSeparate;
  QueryScale q_scale = QueryScale::kFolded;
  LaneTree key_dot_tree = LaneTree::kHalving;
  MultiplyAdd key_dot_multiply_add = MultiplyAdd::kSeparate;
  MultiplyAdd update_multiply_add = MultiplyAdd::kSeparate;
  LaneTree out_dot_tree = LaneTree::kHalving;
  MultiplyAdd out_dot_multiply_add = MultiplyAdd::kSeparate;
  ToBf16 out_rounding = ToBf16::kBf16;
  MultiplyAdd out_norm_multiply_add = MultiplyAdd::kSeparate;
  MultiplyAdd out_variance = MultiplyAdd::kSeparate;
  Orders orders = {};  // sums whose tree no choice names (trees.h)

  bool operator==(const Choices&) const = default;
};

const ChoiceTable<Choices>& ContractTable();
/// Throws as ChoiceTable::Read.
Choices ReadChoices(const Contract& contract);
/// The profile's name of a matrix unit ("gfx950.late_8").
std::string_view ProfileName(MatrixUnitName unit);

}  // namespace samebits::kda_pre

#endif  // SAMEBITS_MODEL_KDA_PRE_CONTRACT_H_
