// Everything that can change a bit of the shared expert (SPEC.md, the policies): the choices, their
// names and the contracts that ship.
#ifndef SAMEBITS_MODEL_SHARED_EXPERT_CONTRACT_H_
#define SAMEBITS_MODEL_SHARED_EXPERT_CONTRACT_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/choice_table.h"
#include "model/contract.h"

namespace samebits::shared_expert {

/// P1: where the longer spans go (3.1).
enum class SplitRule : uint8_t { kBalancedFirst, kFloor, kBalancedLast, kCeilChunk };
/// P3: the profile of the matrix unit (4.1).
enum class MatrixUnitName : uint8_t {
  kSm90Wgmma,
  kSm100Tcgen05,
  kSm90MmaSync,
  kSm80MmaSync,
  kExactRn,
  kSequentialFma,
};
/// P5: subnormals of float32 operations outside the matrix unit (4.10).
enum class Arithmetic : uint8_t { kIeee, kFtz };
/// Results of ex2, rcp and tanh of the special-function unit.
enum class SpecialFunctions : uint8_t { kClosedForm, kCorrectlyRounded };
/// P2 (4.6): S0..S5.
enum class SituForm : uint8_t { kStock, kTorch, kMulSigmoid, kApprox, kTriton, kThreeProducts };
/// P4: when -0 becomes +0 (4.7).
enum class ZeroRule : uint8_t { kPostRound, kPreRound };
/// P6: order of the consumer's sum over source ranks (4.9).
enum class ConsumerSum : uint8_t { kAscending, kDescending, kPairwise };

struct Choices {
  SplitRule split = SplitRule::kBalancedFirst;
  MatrixUnitName matrix_unit = MatrixUnitName::kSm90Wgmma;
  Arithmetic arithmetic = Arithmetic::kIeee;
  SpecialFunctions special_functions = SpecialFunctions::kClosedForm;
  SituForm situ = SituForm::kStock;
  ZeroRule zero = ZeroRule::kPostRound;
  ConsumerSum consumer_sum = ConsumerSum::kAscending;
  Orders orders = {};  // sums whose tree no choice names (trees.h)

  bool operator==(const Choices&) const = default;
};

/// As model/profiles/matrix_units.h names it.
std::string_view ProfileName(MatrixUnitName unit);

const ChoiceTable<Choices>& ContractTable();
/// Throws as ChoiceTable::Read.
Choices ReadChoices(const Contract& contract);

}  // namespace samebits::shared_expert

#endif  // SAMEBITS_MODEL_SHARED_EXPERT_CONTRACT_H_
