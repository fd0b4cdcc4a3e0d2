// Reductions as data: which leaves meet in which order, and whether a product joins its sum fused.
//
// A leaf i is either a value x_i or a product a_i * b_i, as the caller evaluates it. Notation
// (SPEC.md of kda_decode, sections 4 and 4.5):
//   7                 the leaf itself; a product is rounded
//   (x + y)           one rounded addition
//   F[0,32,64,96]     acc = +0; acc = fma(a_0, b_0, acc); acc = fma(a_32, b_32, acc); ...
//   F[0,2,3;1]        the same, starting from the rounded product of leaf 1
//   F[0,1,2,3;start]  the same, starting from a value that the caller gives
//   M{0..15;+0}       one matrix instruction: 16 products and an accumulator, as the unit sums them
#ifndef SAMEBITS_MODEL_ORDER_TREE_H_
#define SAMEBITS_MODEL_ORDER_TREE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace samebits::order {

struct Node {
  enum class Kind : uint8_t {
    kZero,    // +0
    kStart,   // the start value of the caller
    kLeaf,    // value, or rounded product, of leaf Tree::sequence[first]
    kChain,   // fma of `count` leaves from sequence[first] on, onto node `left`
    kAdd,     // left + right
    kMatrix,  // matrix instruction over `count` leaves from sequence[first] on, onto node `left`
  };
  Kind kind = Kind::kZero;
  int left = -1, right = -1;  // indices into Tree::nodes, smaller than the node's own
  int first = 0, count = 0;
  bool operator==(const Node&) const = default;
};

/// Nodes stand in the order of a stack machine: the operands of a node are the results that the
/// nodes before it left on top. The root is last.
struct Tree {
  std::string name;
  int leaves = 0;
  std::vector<Node> nodes;
  std::vector<int> sequence;  // leaf indices, in the order of accumulation
  int stack = 0;              // results alive at once
  bool operator==(const Tree&) const = default;

  const Node& root() const { return nodes.back(); }
  std::span<const int> LeavesOf(const Node& node) const {
    return {sequence.data() + node.first, static_cast<size_t>(node.count)};
  }
};

/// Puts a tree together from the leaves up; every function returns the index of its node.
class Builder {
 public:
  int Zero();
  int Start();
  int Leaf(int leaf);
  /// `start` < 0: from +0.
  int Chain(std::span<const int> leaves, int start = -1);
  int Add(int left, int right);
  int Matrix(std::span<const int> leaves, int accumulator);
  /// The tree below `root`, in the order of a stack machine. Every node may be used once.
  Tree Finish(std::string name, int leaves, int root) const;

 private:
  int Push(Node node, std::span<const int> leaves);
  std::vector<Node> nodes_;
  std::vector<int> sequence_;
};

/// The same additions with no fusion: acc = fma(a, b, acc) becomes acc = acc + RN(a * b).
Tree Separated(const Tree& tree);
/// What a contracting compiler makes of it: RN(a * b) + y becomes fma(a, b, y), where the left
/// operand is contracted if both are products.
Tree Contracted(const Tree& tree);

struct Counts {
  int leaves = 0;  // products or values that are rounded on their own
  int fma = 0;
  int add = 0;
  int matrix = 0;  // matrix instructions
  int chains = 0;  // fma chains
  int depth = 0;   // longest sequence of dependent fma, add and matrix operations
};
Counts Count(const Tree& tree);

/// Equal for trees of the same operations on the same operands: (x + y) is (y + x), and a chain
/// from +0 starts from its first product, rounded (but for a product of -0). Others are equal by
/// chance alone.
uint64_t Fingerprint(const Tree& tree);

/// In the notation above.
std::string ToText(const Tree& tree);
/// Graphviz.
std::string ToDot(const Tree& tree);

/// The first two subtrees, from the roots down and from left to right, that do not do the same
/// operation on the same operands. (x + y) equals (y + x): NaNs are canonical.
struct Difference {
  std::string path;  // "root", then ".left" or ".right" per level
  std::string a, b;  // the two subtrees in the notation
};
std::optional<Difference> FirstDifference(const Tree& a, const Tree& b);

}  // namespace samebits::order

#endif  // SAMEBITS_MODEL_ORDER_TREE_H_
