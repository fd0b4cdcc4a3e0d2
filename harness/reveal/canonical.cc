#include "harness/reveal/canonical.h"

#include <algorithm>
#include <bit>
#include <map>
#include <stdexcept>
#include <vector>

namespace samebits::harness {
namespace {

using order::Node;
using order::Tree;
using units::BlockSum;

constexpr int kNothing = -1;  // +0

class Canonicaliser {
 public:
  Canonicaliser(const ReductionOrder& order, bool has_start, bool products_exact)
      : tree_(order.tree),
        unit_(order.unit),
        start_(has_start ? order.tree.leaves : kNothing),
        products_exact_(products_exact) {}

  Tree Rewrite() {
    std::vector<int> index(tree_.nodes.size());
    for (size_t n = 0; n < tree_.nodes.size(); ++n) {
      const Node& node = tree_.nodes[n];
      index[n] = Rewrite(node, node.left < 0 ? kNothing : index[node.left],
                         node.right < 0 ? kNothing : index[node.right]);
    }
    return builder_.Finish(tree_.name, tree_.leaves + (start_ >= 0), index.back());
  }

 private:
  struct Links {
    int start;
    std::vector<int> leaves;
  };

  int Rewrite(const Node& node, int left, int right) {
    const auto leaves = tree_.LeavesOf(node);
    switch (node.kind) {
      case Node::Kind::kZero:
        return kNothing;
      case Node::Kind::kStart:
        return start_ < 0 ? kNothing : builder_.Leaf(start_);
      case Node::Kind::kLeaf:
        return builder_.Leaf(leaves[0]);
      case Node::Kind::kAdd:
        return Add(left, right);
      case Node::Kind::kChain:
        return Chain(left, leaves);
      case Node::Kind::kMatrix:
        return Instruction(left, leaves);
    }
    throw std::logic_error("tree node of unknown kind");
  }

  int Add(int left, int right) {
    if (left == kNothing) return right;
    if (right == kNothing) return left;
    return builder_.Add(left, right);
  }

  int Chain(int onto, std::span<const int> leaves) {
    if (onto == kNothing) {
      onto = builder_.Leaf(leaves[0]);
      leaves = leaves.subspan(1);
    }
    if (leaves.empty()) return onto;
    if (products_exact_) {
      for (const int leaf : leaves) onto = builder_.Add(onto, builder_.Leaf(leaf));
      return onto;
    }
    Links links = {onto, {leaves.begin(), leaves.end()}};
    if (const auto before = chains_.find(onto); before != chains_.end()) {  // go on with that chain
      links = before->second;
      links.leaves.insert(links.leaves.end(), leaves.begin(), leaves.end());
    }
    const int chain = builder_.Chain(links.leaves, links.start);
    chains_.emplace(chain, std::move(links));
    return chain;
  }

  /// A chain of blocks (matrix_units.md, section 2).
  int Instruction(int accumulator, std::span<const int> leaves) {
    if (unit_ == nullptr) throw std::invalid_argument("matrix instructions without a unit");
    if (unit_->op == BlockSum::kSequential) return Chain(accumulator, leaves);
    const auto block = static_cast<size_t>(unit_->block_size());
    for (size_t first = 0; first < leaves.size(); first += block) {
      const auto part = leaves.subspan(first, std::min(block, leaves.size() - first));
      if (unit_->op == BlockSum::kPair) {
        accumulator = Add(accumulator, Pairs(part));
        continue;
      }
      std::vector<int> terms(part.begin(), part.end());
      std::ranges::sort(terms);
      accumulator = builder_.Matrix(terms, accumulator == kNothing ? builder_.Zero() : accumulator);
    }
    return accumulator;
  }

  /// Neighbours first (matrix_units.md, section 2.4).
  int Pairs(std::span<const int> leaves) {
    if (leaves.empty()) return kNothing;
    if (leaves.size() == 1) return builder_.Leaf(leaves[0]);
    const size_t half = std::bit_ceil(leaves.size()) / 2;
    return Add(Pairs(leaves.first(half)), Pairs(leaves.subspan(half)));
  }

  const Tree& tree_;
  const units::MatrixUnit* unit_;
  const int start_;
  const bool products_exact_;
  order::Builder builder_;
  std::map<int, Links> chains_;  // by node
};

}  // namespace

Tree Canonical(const ReductionOrder& order, bool has_start, bool products_exact) {
  return Canonicaliser(order, has_start, products_exact).Rewrite();
}

}  // namespace samebits::harness
