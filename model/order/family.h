// Every form of a sum that kernels are known to have, one after the other.
#ifndef SAMEBITS_MODEL_ORDER_FAMILY_H_
#define SAMEBITS_MODEL_ORDER_FAMILY_H_

#include <functional>
#include <optional>

#include "model/order/form.h"

namespace samebits::order {

/// What the terms of a sum allow.
struct Terms {
  int count = 0;
  bool products = false;        // that may be fused
  bool exact_products = false;  // no rounding tells fused ones from others
  bool start = false;           // the caller gives a start value
  bool from_zero = false;       // the sum starts from +0

  /// Of a tree over products or values; without matrix instructions.
  static Terms Of(const Tree& tree, bool products, bool exact_products);
};

/// The forms, the simplest first, each tree once (Fingerprint): lanes of 1, 2, 4, ... terms (any
/// divisor of their number), consecutive, strided, or vectors of 2, 4, 8 consecutive terms, summed
/// as one or element by element; lanes in sequence from either end, neighbours first, by
/// butterflies with their distances in any order (of up to 32 lanes; ascending and descending of
/// more); then groups of lanes, consecutive or interleaved, in the same ways; terms one by one in
/// any order where there are no more than 4. `visit` returns false to end.
void ForEachForm(const Terms& terms,
                 const std::function<bool(const Form& form, const Tree& tree)>& visit);

/// The simplest form with the operations of the tree; nothing if there is none.
std::optional<Form> FormOf(const Tree& tree, const Terms& terms);

}  // namespace samebits::order

#endif  // SAMEBITS_MODEL_ORDER_FAMILY_H_
