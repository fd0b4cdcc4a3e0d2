// Trees as they can be told apart from outside.
#ifndef SAMEBITS_HARNESS_REVEAL_CANONICAL_H_
#define SAMEBITS_HARNESS_REVEAL_CANONICAL_H_

#include "model/reduction.h"

namespace samebits::harness {

/// Two trees that give the same bits, but for the sign of a zero, have the same canonical form:
///   +0 + x is x; a chain starts from the rounded product of its first term; products that are
///   added one by one are not chains where `products_exact` (no input can tell); an instruction of
///   the unit is its blocks, each a node M{...;accumulator}, terms in ascending order, also where
///   the accumulator is aligned after the products (BlockFacts::late tells); a unit that adds in
///   pairs is additions, a sequential one a chain. The start value is term leaves - 1 if
///   `has_start`, else +0.
order::Tree Canonical(const ReductionOrder& order, bool has_start, bool products_exact);

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_REVEAL_CANONICAL_H_
