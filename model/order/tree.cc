#include "model/order/tree.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace samebits::order {
namespace {

using Kind = Node::Kind;

/// Copies the tree below `root` such that operands precede their node immediately.
class Flattener {
 public:
  Flattener(std::span<const Node> nodes, std::span<const int> sequence)
      : nodes_(nodes), sequence_(sequence) {}

  int Visit(int index, Tree* tree) {
    Node node = nodes_[index];
    if (node.left >= 0) node.left = Visit(node.left, tree);
    if (node.right >= 0) node.right = Visit(node.right, tree);
    const auto leaves = sequence_.subspan(node.first, node.count);
    node.first = static_cast<int>(tree->sequence.size());
    for (const int leaf : leaves) tree->sequence.push_back(leaf);
    live_ += 1 - (node.left >= 0) - (node.right >= 0);
    tree->stack = std::max(tree->stack, live_);
    tree->nodes.push_back(node);
    return static_cast<int>(tree->nodes.size()) - 1;
  }

 private:
  std::span<const Node> nodes_;
  std::span<const int> sequence_;
  int live_ = 0;
};

/// Rebuilds a tree with another node for each node: Rewrite(builder, node, left, right) -> index.
template <typename Rewrite>
Tree Rebuild(const Tree& tree, const Rewrite& rewrite) {
  Builder builder;
  std::vector<int> index(tree.nodes.size());
  for (size_t i = 0; i < tree.nodes.size(); ++i) {
    const Node& node = tree.nodes[i];
    const int left = node.left < 0 ? -1 : index[node.left];
    const int right = node.right < 0 ? -1 : index[node.right];
    index[i] = rewrite(builder, node, left, right);
  }
  return builder.Finish(tree.name, tree.leaves, index.back());
}

int Copy(Builder& builder, const Tree& tree, const Node& node, int left, int right) {
  switch (node.kind) {
    case Kind::kZero:
      return builder.Zero();
    case Kind::kStart:
      return builder.Start();
    case Kind::kLeaf:
      return builder.Leaf(tree.LeavesOf(node)[0]);
    case Kind::kChain:
      return builder.Chain(tree.LeavesOf(node), left);
    case Kind::kAdd:
      return builder.Add(left, right);
    case Kind::kMatrix:
      return builder.Matrix(tree.LeavesOf(node), left);
  }
  throw std::logic_error("tree node of unknown kind");
}

}  // namespace

int Builder::Push(Node node, std::span<const int> leaves) {
  node.first = static_cast<int>(sequence_.size());
  node.count = static_cast<int>(leaves.size());
  for (const int leaf : leaves) sequence_.push_back(leaf);
  nodes_.push_back(node);
  return static_cast<int>(nodes_.size()) - 1;
}

int Builder::Zero() { return Push({.kind = Kind::kZero}, {}); }
int Builder::Start() { return Push({.kind = Kind::kStart}, {}); }
int Builder::Leaf(int leaf) { return Push({.kind = Kind::kLeaf}, {&leaf, 1}); }

int Builder::Chain(std::span<const int> leaves, int start) {
  if (start < 0) start = Zero();
  return Push({.kind = Kind::kChain, .left = start}, leaves);
}

int Builder::Add(int left, int right) {
  return Push({.kind = Kind::kAdd, .left = left, .right = right}, {});
}

int Builder::Matrix(std::span<const int> leaves, int accumulator) {
  return Push({.kind = Kind::kMatrix, .left = accumulator}, leaves);
}

Tree Builder::Finish(std::string name, int leaves, int root) const {
  Tree tree;
  tree.name = std::move(name);
  tree.leaves = leaves;
  tree.nodes.reserve(nodes_.size());
  tree.sequence.reserve(sequence_.size());
  Flattener(nodes_, sequence_).Visit(root, &tree);
  return tree;
}

Tree Separated(const Tree& tree) {
  return Rebuild(tree, [&](Builder& builder, const Node& node, int left, int right) {
    if (node.kind != Kind::kChain) return Copy(builder, tree, node, left, right);
    int sum = left;
    for (const int leaf : tree.LeavesOf(node)) sum = builder.Add(sum, builder.Leaf(leaf));
    return sum;
  });
}

Tree Contracted(const Tree& tree) {
  return Rebuild(tree, [&](Builder& builder, const Node& node, int left, int right) {
    if (node.kind == Kind::kAdd) {
      const Node& l = tree.nodes[node.left];
      const Node& r = tree.nodes[node.right];
      if (l.kind == Kind::kLeaf) return builder.Chain(tree.LeavesOf(l), right);
      if (r.kind == Kind::kLeaf) return builder.Chain(tree.LeavesOf(r), left);
    }
    return Copy(builder, tree, node, left, right);
  });
}

uint64_t Fingerprint(const Tree& tree) {
  const auto mix = [](uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * 0x9E3779B97F4A7C15u + 0xD1B54A32D192ED03u;
    return hash ^ (hash >> 29);
  };
  const auto of = [&](Kind kind, uint64_t operand) {
    return mix(mix(0, static_cast<uint64_t>(kind)), operand);
  };
  const uint64_t zero = of(Kind::kZero, 0);
  std::vector<uint64_t> hashes;  // a stack, as the nodes stand
  for (const Node& node : tree.nodes) {
    std::span<const int> leaves = tree.LeavesOf(node);
    uint64_t hash = node.kind == Kind::kLeaf ? of(node.kind, static_cast<uint64_t>(leaves[0]))
                                             : of(node.kind, 0);
    if (node.kind == Kind::kAdd) {
      const auto [less, greater] = std::minmax(hashes[hashes.size() - 2], hashes.back());
      hash = mix(mix(hash, less), greater);
      hashes.resize(hashes.size() - 2);
    } else if (node.left >= 0) {
      uint64_t below = hashes.back();
      hashes.pop_back();
      if (node.kind == Kind::kChain && below == zero) {
        below = of(Kind::kLeaf, static_cast<uint64_t>(leaves[0]));
        leaves = leaves.subspan(1);
      }
      hash = leaves.empty() ? below : mix(hash, below);
      for (const int leaf : leaves) hash = mix(hash, static_cast<uint64_t>(leaf));
    }
    hashes.push_back(hash);
  }
  return hashes.back();
}

Counts Count(const Tree& tree) {
  Counts counts;
  std::vector<int> depth(tree.nodes.size(), 0);
  for (size_t i = 0; i < tree.nodes.size(); ++i) {
    const Node& node = tree.nodes[i];
    int below = 0;
    if (node.left >= 0) below = depth[node.left];
    if (node.right >= 0) below = std::max(below, depth[node.right]);
    int steps = 0;
    switch (node.kind) {
      case Kind::kZero:
      case Kind::kStart:
        break;
      case Kind::kLeaf:
        ++counts.leaves;
        break;
      case Kind::kChain:
        steps = node.count;
        counts.fma += node.count;
        ++counts.chains;
        break;
      case Kind::kAdd:
        steps = 1;
        ++counts.add;
        break;
      case Kind::kMatrix:
        steps = 1;
        ++counts.matrix;
        break;
    }
    depth[i] = below + steps;
  }
  counts.depth = depth.back();
  return counts;
}

}  // namespace samebits::order
