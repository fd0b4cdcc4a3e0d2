// Trees as text, as Graphviz, and their comparison.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "model/order/tree.h"

namespace samebits::order {
namespace {

using Kind = Node::Kind;

std::string Join(std::span<const int> leaves) { return fmt::format("{}", fmt::join(leaves, ",")); }

/// A set of leaves: "0..15" if it is contiguous, whatever order the instruction holds it in.
std::string SetText(std::span<const int> leaves) {
  std::vector<int> sorted(leaves.begin(), leaves.end());
  std::sort(sorted.begin(), sorted.end());
  const int last = static_cast<int>(sorted.size()) - 1;
  if (last > 0 && sorted[last] - sorted[0] == last) {
    return fmt::format("{}..{}", sorted[0], sorted[last]);
  }
  return Join(sorted);
}

std::string NodeText(const Tree& tree, int index) {
  const Node& node = tree.nodes[index];
  switch (node.kind) {
    case Kind::kZero:
      return "+0";
    case Kind::kStart:
      return "start";
    case Kind::kLeaf:
      return Join(tree.LeavesOf(node));
    case Kind::kChain: {
      const bool zero = tree.nodes[node.left].kind == Kind::kZero;
      const std::string leaves = Join(tree.LeavesOf(node));
      if (zero) return fmt::format("F[{}]", leaves);
      return fmt::format("F[{};{}]", leaves, NodeText(tree, node.left));
    }
    case Kind::kAdd:
      return fmt::format("({} + {})", NodeText(tree, node.left), NodeText(tree, node.right));
    case Kind::kMatrix:
      return fmt::format("M{{{};{}}}", SetText(tree.LeavesOf(node)), NodeText(tree, node.left));
  }
  return {};
}

std::string DotLabel(const Tree& tree, const Node& node) {
  switch (node.kind) {
    case Kind::kZero:
      return "+0";
    case Kind::kStart:
      return "start";
    case Kind::kLeaf:
      return Join(tree.LeavesOf(node));
    case Kind::kChain:
      return "F[" + Join(tree.LeavesOf(node)) + "]";
    case Kind::kAdd:
      return "+";
    case Kind::kMatrix:
      return "M{" + SetText(tree.LeavesOf(node)) + "}";
  }
  return {};
}

bool Same(const Tree& a, int i, const Tree& b, int j) {
  const Node& x = a.nodes[i];
  const Node& y = b.nodes[j];
  if (x.kind != y.kind || !std::ranges::equal(a.LeavesOf(x), b.LeavesOf(y))) return false;
  if (x.kind == Kind::kAdd) {
    return (Same(a, x.left, b, y.left) && Same(a, x.right, b, y.right)) ||
           (Same(a, x.left, b, y.right) && Same(a, x.right, b, y.left));
  }
  return x.left < 0 || Same(a, x.left, b, y.left);
}

/// The operands of a node of `b` in the order that fits the node of `a` best.
std::pair<int, int> MatchOperands(const Tree& a, const Node& x, const Tree& b, const Node& y) {
  const bool crossed = Same(a, x.left, b, y.right) || Same(a, x.right, b, y.left);
  return crossed ? std::pair(y.right, y.left) : std::pair(y.left, y.right);
}

std::optional<Difference> Compare(const Tree& a, int i, const Tree& b, int j,
                                  const std::string& path) {
  if (Same(a, i, b, j)) return std::nullopt;
  const Node& x = a.nodes[i];
  const Node& y = b.nodes[j];
  if (x.kind == y.kind && std::ranges::equal(a.LeavesOf(x), b.LeavesOf(y))) {
    if (x.kind == Kind::kAdd) {
      const auto [left, right] = MatchOperands(a, x, b, y);
      if (auto found = Compare(a, x.left, b, left, path + ".left")) return found;
      return Compare(a, x.right, b, right, path + ".right");
    }
    if (x.left >= 0) return Compare(a, x.left, b, y.left, path + ".left");
  }
  return Difference{path, NodeText(a, i), NodeText(b, j)};
}

}  // namespace

std::string ToText(const Tree& tree) {
  return NodeText(tree, static_cast<int>(tree.nodes.size()) - 1);
}

std::string ToDot(const Tree& tree) {
  std::string text =
      fmt::format("digraph \"{}\" {{\n  rankdir=BT;\n  node [shape=box];\n", tree.name);
  for (size_t i = 0; i < tree.nodes.size(); ++i) {
    const Node& node = tree.nodes[i];
    text += fmt::format("  n{} [label=\"{}\"];\n", i, DotLabel(tree, node));
    for (const int operand : {node.left, node.right}) {
      if (operand >= 0) text += fmt::format("  n{} -> n{};\n", operand, i);
    }
  }
  return text + "}\n";
}

std::optional<Difference> FirstDifference(const Tree& a, const Tree& b) {
  return Compare(a, static_cast<int>(a.nodes.size()) - 1, b, static_cast<int>(b.nodes.size()) - 1,
                 "root");
}

}  // namespace samebits::order
