// Right values in another order along one dimension.
#ifndef SAMEBITS_HARNESS_EXPLAIN_PERMUTATION_H_
#define SAMEBITS_HARNESS_EXPLAIN_PERMUTATION_H_

#include <optional>

#include "harness/explain/evidence.h"
#include "harness/explain/transform.h"

namespace samebits::harness {

/// The order of one dimension of `right` that gives every captured element of what was seen, in its
/// simplest form: reversed, rotated, ..., else kPermuted. Nothing if there is none, or if it is the
/// order that `right` has.
std::optional<Transform> FindPermutation(const Observation& seen, const Tensor& right);

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_EXPLAIN_PERMUTATION_H_
