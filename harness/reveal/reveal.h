// The summation tree of a reduction, found through inputs and results alone.
//
// Which two of three terms meet first follows from a sum of two huge terms that cancel and a small
// one, as in public work on revealing summation orders (FPRev), or, where terms are squares, from
// small terms that count only together. A product joins its sum fused if the rounding error of the
// product shows.
#ifndef SAMEBITS_HARNESS_REVEAL_REVEAL_H_
#define SAMEBITS_HARNESS_REVEAL_REVEAL_H_

#include <optional>
#include <string>

#include "harness/reveal/prober.h"
#include "model/order/tree.h"

namespace samebits::harness {

/// A unit that sums many products and an accumulator in one operation.
struct BlockFacts {
  int products = 0;  // of the largest block
  std::optional<int>
      fraction_bits;     // kept below the largest exponent; none: all (exact), or unseen
  std::string rounding;  // "toward zero", "nearest", or "" where it does not show
  /// The accumulator is aligned after the products are summed, toward minus infinity; none: no sum
  /// of this block has one, or nothing of it is lost.
  std::optional<bool> late;
};

struct Revealed {
  order::Tree tree;           // canonical (canonical.h)
  std::optional<bool> fused;  // are products fused somewhere; none: no input can tell
  std::optional<BlockFacts> block;
  std::optional<bool> plus_zero;  // a sum of negative zeros is +0; none: products cannot be -0
  int64_t probes = 0, launches = 0;
  int64_t checked = 0, contradicted = 0;  // further random triples, and those that do not fit
  /// Sums of random values, and those whose bits are not the tree's: something is rounded in
  /// another way, or more. None where a sum shows rounded, with an offset, or of a matrix unit.
  int64_t compared = 0, unequal = 0;
};

/// Throws ConfigError where the sums do not show, std::runtime_error where no tree fits.
Revealed Reveal(const Kernel& kernel, const Reduction& reduction, const Settings& config,
                const Launcher& launcher);

/// The contract's order in the form of `revealed`, and how the two differ.
struct Judgement {
  order::Tree contract;                         // as the contract has it
  std::optional<order::Difference> difference;  // a: revealed, b: contract; canonical forms
  std::string other;                            // a difference of another kind, in one sentence
  bool equal() const { return !difference && other.empty(); }
};
Judgement Judge(const Reduction& reduction, const Settings& config, const Contract& contract,
                const Revealed& revealed);

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_REVEAL_REVEAL_H_
