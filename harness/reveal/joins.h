// The shape of a summation tree from questions about three terms: which two of them meet first?
#ifndef SAMEBITS_HARNESS_REVEAL_JOINS_H_
#define SAMEBITS_HARNESS_REVEAL_JOINS_H_

#include <functional>
#include <vector>

namespace samebits::harness {

/// Three terms, and which pair's sum exists before the third joins.
struct Triple {
  int i = 0, j = 0, k = 0;
};
enum class FirstPair : unsigned char { kIJ, kIK, kJK, kNone };  // kNone: all three meet at once

/// Answers many questions at once.
using TripleOracle = std::function<std::vector<FirstPair>(const std::vector<Triple>&)>;

/// Which terms meet where. A node with more than two children sums them in one operation.
struct Joins {
  struct Node {
    int leaf = -1;              // the term, or -1
    std::vector<int> children;  // indices of nodes; empty for a term
  };
  std::vector<Node> nodes;  // children stand before their parents; the root is last

  int root() const { return static_cast<int>(nodes.size()) - 1; }
  /// The terms below a node, in ascending order.
  std::vector<int> LeavesBelow(int node) const;
  /// What the tree answers.
  FirstPair Answer(const Triple& triple) const;
};

/// The tree over `leaves` terms. Rounds of questions, each about all terms: pairs split the set in
/// what meets one of them first and what comes after both, as quicksort does; about 2 log2(leaves)
/// rounds. Throws std::runtime_error where the answers belong to no tree.
Joins FindJoins(int leaves, const TripleOracle& oracle);

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_REVEAL_JOINS_H_
