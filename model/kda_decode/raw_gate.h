// The raw gate F_B F_A of one head, by matrix instructions or by lanes (SPEC.md 3.6, 4.4).
#ifndef SAMEBITS_MODEL_KDA_DECODE_RAW_GATE_H_
#define SAMEBITS_MODEL_KDA_DECODE_RAW_GATE_H_

#include <cstdint>
#include <vector>

#include "model/kda_decode/contract.h"
#include "model/kda_decode/math.h"
#include "model/order/tree.h"
#include "model/units/matrix_unit_packed.h"

namespace samebits::kda_decode {

/// The unit of the choice `matrix_unit`.
const units::MatrixUnit& MatrixUnitOf(const Choices& choices);

/// f_b of one head, prepared once for all requests. Choose one way of computing by the path.
class RawGate {
 public:
  /// f_b: bf16 [128][128], the head's rows. The references must outlive the object.
  RawGate(const Choices& choices, const Math& math, const order::Tree& tree, Path path,
          const uint16_t* f_b);

  /// sums[t][f], t < tokens: the tree over f_b[f][k] * f_a[t][k]. f_a: bf16, `stride` elements
  /// between tokens.
  void Project(const uint16_t* f_a, int64_t stride, int tokens, float (*sums)[128]) const;

 private:
  /// Operations on arrays of one slot per node of the tree; a chain of matrix instructions is one.
  struct Step {
    enum class Kind : uint8_t { kZero, kChain, kAdd } kind;
    int slot = 0, other = 0;
    std::vector<int> leaves = {};      // kChain: logical k in the order of the slots
    units::PackedMatrix weights = {};  // kChain: f_b of these leaves
  };
  class StepMaker;

  void ProjectLanes(const uint16_t* f_a, int64_t stride, int tokens, float (*sums)[128]) const;
  void ProjectPlain(const uint16_t* f_a, int64_t stride, int tokens, float (*sums)[128]) const;
  void ProjectPacked(const uint16_t* f_a, int64_t stride, int tokens, float (*sums)[128]) const;

  const Math& math_;
  const order::Tree& tree_;
  const units::MatrixUnit& unit_;
  const uint16_t* f_b_;
  const bool packed_;
  std::vector<Step> steps_;     // packed
  std::vector<float> columns_;  // tree without matrix instructions: f_b transposed, [k][f]
};

}  // namespace samebits::kda_decode

#endif  // SAMEBITS_MODEL_KDA_DECODE_RAW_GATE_H_
