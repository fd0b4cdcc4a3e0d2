#include "model/order/levels.h"

namespace samebits::order {
namespace {

/// Chains by node, in the order in which halving adds them as the tree does.
class Pairing {
 public:
  explicit Pairing(const Tree& tree) : tree_(tree) {
    const int root = static_cast<int>(tree.nodes.size()) - 1;
    for (int node = root; IsAdd(node); node = tree.nodes[node].left) {
      if (width_ > Levels::kMaxWidth) return;  // too deep to be a tournament
      width_ *= 2;
    }
    chains_.resize(width_);
    even_ = Place(root, 0, 1);
  }

  size_t width() const { return width_; }
  /// Every chain passes through the same number of additions.
  bool even() const { return even_; }
  int chain(size_t i) const { return chains_[i]; }

 private:
  bool IsAdd(int node) const { return tree_.nodes[node].kind == Node::Kind::kAdd; }

  /// The chains below `node` to every `step`-th place from `first` on: those of the left operand
  /// and those of the right one in turn.
  bool Place(int node, size_t first, size_t step) {
    if (!IsAdd(node)) {
      if (step != width_) return false;
      chains_[first] = node;
      return true;
    }
    return step < width_ && Place(tree_.nodes[node].left, first, 2 * step) &&
           Place(tree_.nodes[node].right, first + step, 2 * step);
  }

  const Tree& tree_;
  size_t width_ = 1;
  bool even_ = false;
  std::vector<int> chains_;
};

struct Chain {
  bool whole = false;  // chains and products only
  bool from_zero = true;
  std::vector<int> leaves;
};

Chain ChainAt(const Tree& tree, int index) {
  const Node& node = tree.nodes[index];
  const auto leaves = tree.LeavesOf(node);
  switch (node.kind) {
    case Node::Kind::kZero:
      return {.whole = true, .from_zero = true, .leaves = {}};
    case Node::Kind::kLeaf:
      return {.whole = true, .from_zero = false, .leaves = {tree.sequence[node.first]}};
    case Node::Kind::kChain: {
      Chain chain = ChainAt(tree, node.left);
      chain.leaves.insert(chain.leaves.end(), leaves.begin(), leaves.end());
      return chain;
    }
    default:
      return {};
  }
}

}  // namespace

std::optional<Levels> Levels::Of(const Tree& tree) {
  const Pairing pairing(tree);
  const size_t width = pairing.width();
  if (!pairing.even() || width < kMinWidth || width > kMaxWidth) return std::nullopt;
  const Chain first = ChainAt(tree, pairing.chain(0));
  const size_t length = first.leaves.size();
  Levels levels = {.width = width,
                   .length = length,
                   .from_zero = first.from_zero,
                   .leaves = std::vector<int32_t>(length * width)};
  for (size_t c = 0; c < width; ++c) {
    const Chain chain = ChainAt(tree, pairing.chain(c));
    const bool alike =
        chain.whole && chain.from_zero == first.from_zero && chain.leaves.size() == length;
    if (!alike) return std::nullopt;
    for (size_t r = 0; r < length; ++r) levels.leaves[r * width + c] = chain.leaves[r];
  }
  return levels;
}

}  // namespace samebits::order
