// Puts a trace together operation by operation, and computes each result on the way. What a kernel
// adds is which operations on which operands; the roundings are those of model/arith and
// model/units.
#ifndef SAMEBITS_MODEL_TRACING_BUILDER_H_
#define SAMEBITS_MODEL_TRACING_BUILDER_H_

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/order/tree.h"
#include "model/trace.h"
#include "model/units/matrix_unit.h"
#include "model/units/special_functions.h"

namespace samebits::tracing {

/// Subnormals of add, sub, mul and fma.
enum class Subnormals : uint8_t { kKept, kFlushed };

/// Functions return the index of their node; operands are such indices.
class Builder {
 public:
  Builder(const ElementSource& source, Subnormals subnormals)
      : source_(source), flushes_(subnormals == Subnormals::kFlushed) {}

  /// An input or a tap; the same one twice is one node.
  int Element(Role role, std::string_view tensor, DType dtype, int64_t index);
  int Input(std::string_view tensor, DType dtype, int64_t index) {
    return Element(Role::kInput, tensor, dtype, index);
  }
  int Tap(std::string_view tensor, int64_t index, DType dtype = DType::kF32) {
    return Element(Role::kTap, tensor, dtype, index);
  }
  int Constant(float value, std::string label);
  /// Bits that no operation made: poison, a sentinel.
  int Pattern(DType dtype, uint32_t bits, std::string label);

  int Add(int a, int b);
  int Sub(int a, int b);
  int Mul(int a, int b);
  int Fma(int a, int b, int c);
  /// IEEE division, which never flushes.
  int Div(int a, int b);
  /// IEEE division that flushes as the others do.
  int DivFlushing(int a, int b);
  /// -a, exact.
  int Negate(int a);
  /// The element as it is: a store, a copy.
  int Copy(int a, std::string op = "copy");
  int RoundToBf16(int a);     // cvt.rn.bf16.f32
  int TruncateToBf16(int a);  // cvt.rz.bf16.f32
  /// The float32 of a bf16, exact.
  int Widen(int a);
  /// A special function.
  int Unit(const units::SpecialFunctionTables& tables, units::Instruction instruction, int x);
  /// x or y, as `first` says.
  int Select(bool first, int x, int y, std::string condition);
  /// `chosen`, which is x or y, of any type.
  int Either(int x, int y, int chosen);
  /// Any other operation, its result given.
  int Operation(std::string op, std::vector<int> operands, float result);

  /// Leaf i of a sum: one node, or two that are multiplied.
  struct Leaf {
    int a = -1, b = -1;
  };
  using Leaves = std::function<Leaf(int leaf)>;
  /// The sum in the order of the tree. `name` as in model/sum.h. `start` for trees that have one,
  /// `unit` for trees with matrix instructions.
  int Sum(std::string_view name, const order::Tree& tree, const Leaves& leaves, int start = -1,
          const units::MatrixUnit* unit = nullptr);
  /// A chain of matrix instructions onto `accumulator`, block by block.
  int MatrixChain(const units::MatrixUnit& unit, std::span<const Leaf> products, int accumulator);

  /// Says what a node is.
  int Label(int node, std::string label);
  float value(int node) const;
  uint32_t bits(int node) const { return trace_.nodes[node].bits; }
  bool is_bf16(int node) const { return trace_.nodes[node].dtype == DType::kBf16; }

  /// The nodes that `root` needs.
  Trace Finish(int root);

 private:
  class SumMachine;

  int Push(TraceNode node);
  float Flush(float x) const;
  std::string Name(std::string_view op) const;

  const ElementSource& source_;
  const bool flushes_;
  Trace trace_;
  std::map<ElementRef, int> elements_;
};

}  // namespace samebits::tracing

#endif  // SAMEBITS_MODEL_TRACING_BUILDER_H_
