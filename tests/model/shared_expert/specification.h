// The outputs of a case by the specification's pseudocode (SPEC.md 4, 5.1), one element after the
// other: no stages, no packing, no threads, and nothing of the model but its units and SiTU.
#ifndef SAMEBITS_TESTS_MODEL_SHARED_EXPERT_SPECIFICATION_H_
#define SAMEBITS_TESTS_MODEL_SHARED_EXPERT_SPECIFICATION_H_

#include <cstdint>

#include "tests/model/shared_expert/case.h"

namespace samebits::shared_expert::testing {

/// Geometry of a case as plain numbers, derived here anew.
struct Sizes {
  int tp, ranks, batch, width, hidden, ks, owner_width, shard, latent_shard;
};
Sizes MakeSizes(const Config& config);

/// MMA16 by MMA16 over K blocks [first, first + count) from +0, with the wgmma profile.
float Chain(const uint16_t* weights, const uint16_t* tokens, int first, int count);

/// Blocks of CTA c, BALANCED_FIRST.
void DefaultSpan(int total, int c, int parts, int* first, int* count);

/// The owner's sum of one weight row and one token.
float OwnerSum(const Sizes& sizes, const uint16_t* weights, const uint16_t* token);

/// Outputs in the order of the plan's operands: in-place ones as outputs, under default choices.
TensorSet ExpectedOutputs(const Case& c);

}  // namespace samebits::shared_expert::testing

#endif  // SAMEBITS_TESTS_MODEL_SHARED_EXPERT_SPECIFICATION_H_
