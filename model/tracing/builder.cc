#include "model/tracing/builder.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "model/arith/bfloat16.h"
#include "model/arith/float32.h"
#include "model/order/evaluate.h"
#include "model/units/matrix_unit_block.h"

namespace samebits::tracing {
namespace {

float ValueOf(const TraceNode& node) {
  switch (node.dtype) {
    case DType::kBf16:
      return arith::Widen(static_cast<arith::Bf16>(node.bits));
    case DType::kF32:
      return arith::FromBits(node.bits);
    default:
      throw std::logic_error("trace: " + node.element.tensor + " is no number of a sum");
  }
}

}  // namespace

int Builder::Push(TraceNode node) {
  trace_.nodes.push_back(std::move(node));
  return static_cast<int>(trace_.nodes.size()) - 1;
}

float Builder::Flush(float x) const { return flushes_ ? arith::FlushSubnormal(x) : x; }

std::string Builder::Name(std::string_view op) const {
  return std::string(op) + (flushes_ ? ".ftz" : "");
}

int Builder::Element(Role role, std::string_view tensor, DType dtype, int64_t index) {
  const ElementRef element = {role, std::string(tensor), index};
  if (const auto known = elements_.find(element); known != elements_.end()) return known->second;
  const int node = Push({.kind = TraceNode::Kind::kElement,
                         .op = role == Role::kInput ? "input" : "tap",
                         .label = "",
                         .operands = {},
                         .dtype = dtype,
                         .bits = source_.Bits(element),
                         .element = element});
  elements_.emplace(element, node);
  return node;
}

int Builder::Pattern(DType dtype, uint32_t bits, std::string label) {
  return Push({.kind = TraceNode::Kind::kConstant,
               .op = "constant",
               .label = std::move(label),
               .operands = {},
               .dtype = dtype,
               .bits = bits,
               .element = {}});
}

int Builder::Constant(float value, std::string label) {
  return Pattern(DType::kF32, arith::ToBits(value), std::move(label));
}

int Builder::Operation(std::string op, std::vector<int> operands, float result) {
  return Push({.kind = TraceNode::Kind::kOperation,
               .op = std::move(op),
               .label = "",
               .operands = std::move(operands),
               .dtype = DType::kF32,
               .bits = arith::ToBits(result),
               .element = {}});
}

int Builder::Add(int a, int b) {
  return Operation(Name("add"), {a, b}, Flush(arith::Add(Flush(value(a)), Flush(value(b)))));
}

int Builder::Sub(int a, int b) {
  return Operation(Name("sub"), {a, b}, Flush(arith::Sub(Flush(value(a)), Flush(value(b)))));
}

int Builder::Mul(int a, int b) {
  return Operation(Name("mul"), {a, b}, Flush(arith::Mul(Flush(value(a)), Flush(value(b)))));
}

int Builder::Fma(int a, int b, int c) {
  return Operation(Name("fma"), {a, b, c},
                   Flush(arith::Fma(Flush(value(a)), Flush(value(b)), Flush(value(c)))));
}

int Builder::Div(int a, int b) {
  return Operation("div.rn", {a, b}, arith::Div(value(a), value(b)));
}

int Builder::DivFlushing(int a, int b) {
  return Operation(Name("div.rn"), {a, b}, Flush(arith::Div(Flush(value(a)), Flush(value(b)))));
}

int Builder::Either(int x, int y, int chosen) {
  const int node = Operation("select", {x, y}, 0.0f);
  trace_.nodes[node].dtype = trace_.nodes[chosen].dtype;
  trace_.nodes[node].bits = trace_.nodes[chosen].bits;
  return node;
}

int Builder::Select(bool first, int x, int y, std::string condition) {
  return Label(Either(x, y, first ? x : y), std::move(condition));
}

int Builder::Negate(int a) { return Operation("neg", {a}, -value(a)); }

int Builder::Copy(int a, std::string op) {
  const int node = Operation(std::move(op), {a}, 0.0f);
  trace_.nodes[node].dtype = trace_.nodes[a].dtype;
  trace_.nodes[node].bits = trace_.nodes[a].bits;
  return node;
}

int Builder::RoundToBf16(int a) {
  const int node = Operation("cvt.rn.bf16", {a}, 0.0f);
  trace_.nodes[node].dtype = DType::kBf16;
  trace_.nodes[node].bits = arith::RoundToBf16(value(a));
  return node;
}

int Builder::TruncateToBf16(int a) {
  const int node = Operation("cvt.rz.bf16", {a}, 0.0f);
  trace_.nodes[node].dtype = DType::kBf16;
  trace_.nodes[node].bits = arith::TruncateToBf16(value(a));
  return node;
}

int Builder::Widen(int a) { return Operation("widen", {a}, value(a)); }

int Builder::Unit(const units::SpecialFunctionTables& tables, units::Instruction instruction,
                  int x) {
  return Operation(std::string(units::Name(instruction)), {x},
                   units::Evaluate(tables, instruction, value(x)));
}

/// The stack machine of order::Execute on nodes.
class Builder::SumMachine {
 public:
  SumMachine(Builder* builder, const Leaves& leaves, int start, const units::MatrixUnit* unit)
      : b_(*builder), leaves_(leaves), start_(start), unit_(unit) {}

  void Zero(int slot) { stack_[slot] = b_.Constant(0.0f, "+0"); }
  void Start(int slot) { stack_[slot] = start_; }
  void Leaf(int slot, int leaf) {
    const Builder::Leaf term = leaves_(leaf);
    stack_[slot] = term.b < 0 ? term.a : b_.Mul(term.a, term.b);
  }
  void Add(int slot, int other) { stack_[slot] = b_.Add(stack_[slot], stack_[other]); }
  void Chain(int slot, std::span<const int> chain) {
    for (const int leaf : chain) {
      const Builder::Leaf term = leaves_(leaf);
      stack_[slot] = b_.Fma(term.a, term.b, stack_[slot]);
    }
  }
  void Matrix(int slot, std::span<const int> instruction) {
    std::vector<Builder::Leaf> products;
    for (const int leaf : instruction) products.push_back(leaves_(leaf));
    stack_[slot] = b_.MatrixChain(*unit_, products, stack_[slot]);
  }
  int result() const { return stack_[0]; }

 private:
  Builder& b_;
  const Leaves& leaves_;
  const int start_;
  const units::MatrixUnit* const unit_;
  std::array<int, order::kMaxStack> stack_{};
};

int Builder::Sum(std::string_view name, const order::Tree& tree, const Leaves& leaves, int start,
                 const units::MatrixUnit* unit) {
  TracedSum sum = {.name = std::string(name), .terms = {}, .start = start};
  for (int i = 0; i < tree.leaves; ++i) {
    const Leaf leaf = leaves(i);
    sum.terms.emplace_back(leaf.a, leaf.b);
  }
  const auto occurrence = static_cast<int>(std::ranges::count(trace_.sums, name, &TracedSum::name));
  if (const std::optional<float> value = source_.SumValue(name, occurrence)) {
    sum.result = Constant(*value, "given");
  } else {
    const Leaves known = [&](int i) -> Leaf { return {sum.terms[i].first, sum.terms[i].second}; };
    SumMachine machine(this, known, start, unit);
    order::Execute(tree, machine);
    sum.result = machine.result();
  }
  trace_.sums.push_back(std::move(sum));
  return trace_.sums.back().result;
}

int Builder::MatrixChain(const units::MatrixUnit& unit, std::span<const Leaf> products,
                         int accumulator) {
  const int block = unit.block_size();
  const int k = static_cast<int>(products.size());
  const int padded = (k + unit.instruction_k - 1) / unit.instruction_k * unit.instruction_k;
  const auto input = [&](int node) {
    const auto x = static_cast<uint16_t>(bits(node));
    return unit.flush_inputs ? units::FlushInput(x) : x;
  };
  for (int first = 0; first < padded; first += block) {
    std::array<uint16_t, units::kMaxBlock> a{}, b{};
    std::vector<int> operands = {accumulator};
    for (int i = 0; i < block && first + i < k; ++i) {
      const Leaf& product = products[first + i];
      a[i] = input(product.a);
      b[i] = input(product.b);
      operands.insert(operands.end(), {product.a, product.b});
    }
    float c = value(accumulator);
    if (first == 0 && unit.flush_inputs) c = units::FlushInput(c);
    accumulator = Operation("matrix block", std::move(operands),
                            units::SumBlock(unit, a.data(), b.data(), block, c));
  }
  return accumulator;
}

int Builder::Label(int node, std::string label) {
  trace_.nodes[node].label = std::move(label);
  return node;
}

float Builder::value(int node) const { return ValueOf(trace_.nodes[node]); }

Trace Builder::Finish(int root) {
  std::vector<bool> needed(trace_.nodes.size());
  needed[root] = true;
  for (int i = root; i >= 0; --i) {
    if (!needed[i]) continue;
    for (const int operand : trace_.nodes[i].operands) needed[operand] = true;
  }
  Trace kept;
  std::vector<int> place(trace_.nodes.size());
  for (int i = 0; i <= root; ++i) {
    if (!needed[i]) continue;
    place[i] = static_cast<int>(kept.nodes.size());
    TraceNode node = std::move(trace_.nodes[i]);
    for (int& operand : node.operands) operand = place[operand];
    kept.nodes.push_back(std::move(node));
  }
  kept.root = static_cast<int>(kept.nodes.size()) - 1;
  const auto placed = [&](int node) {
    return node >= 0 && node <= root && needed[node] ? place[node] : -1;
  };
  for (TracedSum& sum : trace_.sums) {
    sum.result = placed(sum.result);
    if (sum.result < 0) continue;
    for (auto& [a, b] : sum.terms) a = placed(a), b = placed(b);
    sum.start = placed(sum.start);
    kept.sums.push_back(std::move(sum));
  }
  return kept;
}

}  // namespace samebits::tracing
