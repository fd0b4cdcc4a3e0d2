// Trees evaluated over products: one output, and many outputs side by side.
#ifndef SAMEBITS_MODEL_ORDER_EVALUATE_H_
#define SAMEBITS_MODEL_ORDER_EVALUATE_H_

#include <cstddef>

#include "model/order/tree.h"

namespace samebits::order {

/// Runs a tree on a stack machine whose slots hold whatever the machine sums: a float, or an array
/// of them. Called with the slot that receives the result:
///   Zero(slot), Start(slot), Leaf(slot, leaf), Add(slot, other),
///   Chain(slot, leaves), Matrix(slot, leaves)   both onto what the slot holds.
template <typename Machine>
void Execute(const Tree& tree, Machine& machine) {
  int top = 0;
  for (const Node& node : tree.nodes) {
    switch (node.kind) {
      case Node::Kind::kZero:
        machine.Zero(top++);
        break;
      case Node::Kind::kStart:
        machine.Start(top++);
        break;
      case Node::Kind::kLeaf:
        machine.Leaf(top++, tree.sequence[node.first]);
        break;
      case Node::Kind::kChain:
        machine.Chain(top - 1, tree.LeavesOf(node));
        break;
      case Node::Kind::kMatrix:
        machine.Matrix(top - 1, tree.LeavesOf(node));
        break;
      case Node::Kind::kAdd:
        --top;
        machine.Add(top - 1, top);
        break;
    }
  }
}

/// Most slots that the functions below provide.
inline constexpr int kMaxStack = 32;

enum class Subnormals : uint8_t {
  kKept,
  kFlushed,  // operands and results of every multiplication, addition and fma (.ftz)
};

/// The sum of a[i] * b[i]. A tree with matrix instructions is a std::logic_error here.
float SumProducts(const Tree& tree, const float* a, const float* b, float start = 0.0f,
                  Subnormals subnormals = Subnormals::kKept);

/// Products of many outputs: leaf i of output j is a[i * a_stride + j] times
/// b[i * b_stride] (broadcast) or b[i * b_stride + j].
struct Columns {
  const float* a = nullptr;
  size_t a_stride = 0;
  const float* b = nullptr;
  size_t b_stride = 1;
  bool broadcast = true;
  const float* start = nullptr;  // per output; null: +0
};

/// out[j] = the sum of output j, j < width; NaNs canonical.
void SumColumns(const Tree& tree, const Columns& columns, size_t width, float* out,
                Subnormals subnormals = Subnormals::kKept);
/// The same bits, vectorised across outputs; subnormals kept. Needs SimdSupported().
void SumColumnsSimd(const Tree& tree, const Columns& columns, size_t width, float* out);

}  // namespace samebits::order

#endif  // SAMEBITS_MODEL_ORDER_EVALUATE_H_
