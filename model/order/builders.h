// The trees of kda_decode (its SPEC.md, sections 4 and 6) and the usual references.
#ifndef SAMEBITS_MODEL_ORDER_BUILDERS_H_
#define SAMEBITS_MODEL_ORDER_BUILDERS_H_

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "model/order/tree.h"

namespace samebits::order {

/// Distance of the first exchange of a butterfly over n lanes.
enum class Distance : uint8_t {
  kDescending,  // n/2, n/4, ..., 1
  kAscending,   // 1, 2, ..., n/2
};

/// Lane 0 of a butterfly over `leaves` lanes, a power of two. 32 leaves, descending: B32 (4.2).
Tree Butterfly(int leaves, Distance distance);
/// 128 leaves: a butterfly per group of 32, then (w0 + w2) + (w1 + w3) (4.2).
Tree Norm128(Distance distance = Distance::kDescending);
/// The same with any order of the distances 1, 2, 4, 8, 16.
Tree Norm128(std::span<const int> distances);
/// The same with `scattered` steps from distance 16 down, then the other distances from 1 up: the
/// reduction of 2^scattered values over a warp whose tail ascends (4.2, A6).
Tree Norm128AscendingTail(int scattered);
/// 128 products: a chain of 4 per (lane, element), then a butterfly over the elements and one over
/// the lanes (4.3).
Tree KeyDot(Distance distance = Distance::kDescending);
/// 128 products: lane l owns 4l..4l+3, RN(x1*y1), then fma of 0, 2, 3; B32 over the lanes (6).
Tree Triton1Warp();
/// 128 products: 16 lanes with 8 in a row, RN(x1*y1), then fma of 0, 2..7; butterfly 8, 4, 2, 1
/// (6).
Tree Triton16x8();
/// 128 products: 16 lanes, each an fma chain over 8 in a row from +0; butterfly 8, 4, 2, 1 (6).
Tree SkinnyGemm();
/// One fma chain 0..n-1 from +0.
Tree Sequential(int leaves);
/// Neighbours first: ((0 + 1) + (2 + 3)) + ...
Tree Pairwise(int leaves);

enum class ConvOrder : uint8_t { kOldestFirst, kNewestFirst };
/// 4 products from the start value (4.1).
Tree Convolution(ConvOrder order);

/// 128 products in `chains` chains of matrix instructions over 16 leaves (4.4): one chain is the
/// result itself, several are (+0 + ((c0 + c1) + c2) + ...). The leaves of an instruction stand in
/// the order of its slots (3.6).
Tree MatrixChains(int chains);
/// One chain of matrix instructions of `instruction_k` leaves each, from +0.
int MatrixChain(std::span<const int> leaves, int instruction_k, Builder* builder);
/// A tree of additions with a subtree in the place of each leaf: make(leaf, builder) builds it.
Tree Expanded(const Tree& tree, std::string name, int leaves,
              const std::function<int(int, Builder*)>& make);
/// Logical k, 0..15, of each of the 16 slots of a matrix instruction (3.6).
std::span<const int, 16> SlotOrder();

}  // namespace samebits::order

#endif  // SAMEBITS_MODEL_ORDER_BUILDERS_H_
