// Faults of a result alone: right in the registers, wrong where it was stored or captured.
#ifndef SAMEBITS_HARNESS_EXPLAIN_RESULT_CHANGES_H_
#define SAMEBITS_HARNESS_EXPLAIN_RESULT_CHANGES_H_

#include <optional>
#include <vector>

#include "harness/explain/evidence.h"
#include "harness/explain/transform.h"

namespace samebits::harness {

struct ResultChange {
  Transform transform;
  int64_t explained = 0;    // differing elements
  bool everywhere = false;  // the elements that agree fit it too
};

/// The transforms of `computed` that give every differing element of what was seen: `differing`,
/// ascending, not empty. Best first: those that hold everywhere. `operands`: what may have been
/// left in its place.
std::vector<ResultChange> FindResultChanges(const Observation& seen, const Tensor& computed,
                                            const std::vector<int64_t>& differing,
                                            const std::vector<const Tensor*>& operands);

/// The factor c, a float32, with RN(c * computed) = seen in every differing element; the simplest
/// of those that fit.
std::optional<float> CommonFactor(const Tensor& seen, const Tensor& computed,
                                  const std::vector<int64_t>& differing);

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_EXPLAIN_RESULT_CHANGES_H_
