#include "model/order/evaluate.h"

#include <array>
#include <stdexcept>

#include "model/arith/float32.h"

namespace samebits::order {
namespace {

template <bool kFlush>
class ScalarMachine {
 public:
  ScalarMachine(const float* a, const float* b, float start) : a_(a), b_(b), start_(start) {}

  void Zero(int slot) { stack_[slot] = 0.0f; }
  void Start(int slot) { stack_[slot] = start_; }
  void Leaf(int slot, int leaf) {
    stack_[slot] = Flush(arith::Mul(Flush(a_[leaf]), Flush(b_[leaf])));
  }
  void Add(int slot, int other) {
    stack_[slot] = Flush(arith::Add(Flush(stack_[slot]), Flush(stack_[other])));
  }
  void Chain(int slot, std::span<const int> leaves) {
    float sum = stack_[slot];
    for (const int leaf : leaves) {
      sum = Flush(arith::Fma(Flush(a_[leaf]), Flush(b_[leaf]), Flush(sum)));
    }
    stack_[slot] = sum;
  }
  void Matrix(int, std::span<const int>) {
    throw std::logic_error("a tree with matrix instructions needs a matrix unit");
  }
  float result() const { return stack_[0]; }

 private:
  static float Flush(float x) { return kFlush ? arith::FlushSubnormal(x) : x; }

  const float* a_;
  const float* b_;
  float start_;
  std::array<float, kMaxStack> stack_;
};

template <bool kFlush>
float Sum(const Tree& tree, const float* a, const float* b, float start) {
  ScalarMachine<kFlush> machine(a, b, start);
  Execute(tree, machine);
  return arith::Canonical(machine.result());
}

}  // namespace

float SumProducts(const Tree& tree, const float* a, const float* b, float start,
                  Subnormals subnormals) {
  if (tree.stack > kMaxStack) throw std::logic_error("tree " + tree.name + " is too deep");
  return subnormals == Subnormals::kFlushed ? Sum<true>(tree, a, b, start)
                                            : Sum<false>(tree, a, b, start);
}

void SumColumns(const Tree& tree, const Columns& columns, size_t width, float* out,
                Subnormals subnormals) {
  std::vector<float> a(tree.leaves), b(tree.leaves);
  for (size_t j = 0; j < width; ++j) {
    for (int i = 0; i < tree.leaves; ++i) {
      a[i] = columns.a[i * columns.a_stride + j];
      b[i] = columns.b[i * columns.b_stride + (columns.broadcast ? 0 : j)];
    }
    const float start = columns.start ? columns.start[j] : 0.0f;
    out[j] = SumProducts(tree, a.data(), b.data(), start, subnormals);
  }
}

}  // namespace samebits::order
