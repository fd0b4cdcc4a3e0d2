// The stages of one rank in one step, one file each. A stage reads the operands and what the stages
// before it left in `values`, and writes its own results there.
#ifndef SAMEBITS_MODEL_SHARED_EXPERT_STAGES_H_
#define SAMEBITS_MODEL_SHARED_EXPERT_STAGES_H_

#include <vector>

#include "model/shared_expert/config.h"
#include "model/shared_expert/contract.h"
#include "model/shared_expert/derived.h"
#include "model/shared_expert/math.h"
#include "model/shared_expert/operands.h"
#include "model/shared_expert/trees.h"
#include "model/units/matrix_unit_packed.h"

namespace samebits::shared_expert {

/// One run; constant while its steps run.
struct Launch {
  const Config& config;
  const Derived derived;
  const Choices& choices;
  const Operands& operands;
  const Math& math;
  const Trees trees;
  const units::MatrixUnit& unit;
  Path path;
  int threads;
};

/// One rank in one step. `values`: the intermediates of this place alone, as the taps name them;
/// none is null but those of FRONT in other variants. In a run by stages (model/settle.h)
/// `computed` is where they are stored, and `given` replaces them; each may be null.
struct Place {
  int step = 0;
  int index = 0;  // in the operands' rank dimension
  Taps values;
  Taps computed = {};
  Taps given = {};
  const uint16_t* given_h = nullptr;  // the output h of this rank
};

/// Elements of each intermediate of one place.
struct Sizes {
  int64_t part = 0, sum = 0, h = 0, logits = 0, latent = 0, output = 0;
};
Sizes SizesOf(const Config& config, const Derived& derived);

/// The tokens of one product, for matrices of the same k.
struct Tokens {
  const uint16_t* rows = nullptr;  // bf16 [B][stride], from the product's first k on
  int64_t stride = 0;
  units::PackedColumns packed;  // fast path
};
Tokens MakeTokens(const Launch& launch, const uint16_t* rows, int64_t stride, int k);

/// The chain of matrix instructions from +0 over the whole of k, for all rows and tokens.
void Multiply(const Launch& launch, const units::PackedMatrix& weights, const Tokens& tokens,
              float* out, units::ElementStrides strides);

/// x of the step, cut into the spans of the ks CTAs of a cluster.
std::vector<Tokens> SplitTokens(const Launch& launch, int step);

/// part, for all tiles (4.2).
void ComputeParts(const Launch& launch, const Place& place, const std::vector<Tokens>& tokens);
/// sum, for all tiles (4.3).
void SumParts(const Launch& launch, const Place& place);
/// gate, up, situ.*, h, and h of the operands (4.4, 4.6).
void Activate(const Launch& launch, const Place& place);
/// front.logits, front.latent, and the front mailboxes of all peers (4.8).
void PublishFront(const Launch& launch, const Place& place);
/// down.acc, push, and the RS mailboxes of all peers (4.7).
void ProjectDown(const Launch& launch, const Place& place);
/// The receiving side of all ranks at the end of a step: reduced, and sentinel words again where
/// the tokens of the step were (4.9).
void Consume(const Launch& launch, int step);

}  // namespace samebits::shared_expert

#endif  // SAMEBITS_MODEL_SHARED_EXPERT_STAGES_H_
