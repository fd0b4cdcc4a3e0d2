// Trees whose additions pair up like a tournament, for sums of one output on vectors.
#ifndef SAMEBITS_MODEL_ORDER_LEVELS_H_
#define SAMEBITS_MODEL_ORDER_LEVELS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/order/tree.h"

namespace samebits::order {

/// A tree of 2^n equal chains, in its own order: all chains side by side, then each level of
/// additions as one, x[i] + x[i + width/2].
struct Levels {
  static constexpr size_t kMinWidth = 16, kMaxWidth = 128;

  size_t width = 0;             // chains
  size_t length = 0;            // leaves of a chain
  bool from_zero = true;        // a chain starts from +0, otherwise with its first product, rounded
  std::vector<int32_t> leaves;  // [length][width]: row r has leaf r of every chain

  /// Nothing for a tree of another form: unequal chains, a start value, matrix instructions, or a
  /// width beyond the limits.
  static std::optional<Levels> Of(const Tree& tree);
};

/// The bits of SumProducts(tree, a, b), subnormals kept. Needs SimdSupported().
float SumProductsSimd(const Levels& levels, const float* a, const float* b);

}  // namespace samebits::order

#endif  // SAMEBITS_MODEL_ORDER_LEVELS_H_
