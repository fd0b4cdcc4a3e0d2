// Trees of the forms that kernels have: terms over lanes, lanes over warps, warps over splits. A
// form says in few words what a tree says node by node.
#ifndef SAMEBITS_MODEL_ORDER_FORM_H_
#define SAMEBITS_MODEL_ORDER_FORM_H_

#include <cstdint>
#include <string>
#include <vector>

#include "model/order/tree.h"

namespace samebits::order {

/// `extent` positions, `stride` apart.
struct Digit {
  int extent = 1, stride = 1;
  bool operator==(const Digit&) const = default;
};

/// How the products of a lane join its sum. A sum of values is kSeparate.
enum class Products : uint8_t {
  kSeparate,       // each is rounded
  kFused,          // fma from +0 on
  kSecondRounded,  // the second is rounded, the first and the others join by fma; what a
                   // contracting compiler makes of kSeparate (order::Contracted)
};

/// How equal partial sums become one.
struct Join {
  enum class Kind : uint8_t {
    kAscending,   // ((0 + 1) + 2) + ...
    kDescending,  // the last first
    kNeighbours,  // (0 + 1) + (2 + 3), ...; what is left over joins last
    kButterfly,   // lane i adds lane i ^ distance, for each of the distances in turn
  };
  Kind kind = Kind::kAscending;
  Digit digit;
  std::vector<int> distances = {};  // kButterfly: 1, 2, ..., extent/2 in any order
  bool operator==(const Join&) const = default;
};

struct Form {
  /// Where the caller's start value, or +0, joins.
  enum class Start : uint8_t { kNone, kFirst, kLast };

  Products products = Products::kSeparate;
  std::vector<Digit> lane =
      {};                   // the terms of a lane in the order of its sum, the fastest digit first
  bool descending = false;  // the lane starts from its last term
  std::vector<int> order = {};   // all terms in this order, in place of lane and joins
  std::vector<Join> joins = {};  // the innermost first
  Start start = Start::kNone;
  bool from_zero = false;  // the start is +0, not the caller's
  bool operator==(const Form&) const = default;
};

/// Digits of lane and joins number the terms 0..leaves-1, each once. kFirst: the lane has all
/// terms.
Tree MakeTree(const Form& form, int leaves);

/// "4 terms 32 apart per lane, fused; lanes by butterfly 16, 8, 4, 2, 1". `products`: the terms are
/// products.
std::string Words(const Form& form, bool products);

}  // namespace samebits::order

#endif  // SAMEBITS_MODEL_ORDER_FORM_H_
