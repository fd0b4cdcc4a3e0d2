// SumColumns with one output per vector lane.
#include <cstring>
#include <stdexcept>

#include "model/order/evaluate.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/order/evaluate_simd.cc"
#include <hwy/foreach_target.h>
// After foreach_target.h.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace samebits::order::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

constexpr size_t kPanel = 128;  // outputs that a slot holds

class PanelMachine {
 public:
  /// The outputs [first, first + kPanel).
  PanelMachine(const Columns& columns, size_t first) : columns_(columns), first_(first) {}

  void Zero(int slot) { std::memset(stack_[slot], 0, sizeof(stack_[slot])); }
  void Start(int slot) {
    if (columns_.start == nullptr) return Zero(slot);
    std::memcpy(stack_[slot], columns_.start + first_, sizeof(stack_[slot]));
  }
  void Leaf(int slot, int leaf) {
    const D d;
    const float* a = columns_.a + leaf * columns_.a_stride + first_;
    for (size_t j = 0; j < kPanel; j += hn::Lanes(d)) {
      hn::Store(hn::Mul(hn::LoadU(d, a + j), Factor(leaf, j)), d, stack_[slot] + j);
    }
  }
  void Add(int slot, int other) {
    const D d;
    for (size_t j = 0; j < kPanel; j += hn::Lanes(d)) {
      const V sum = hn::Add(hn::Load(d, stack_[slot] + j), hn::Load(d, stack_[other] + j));
      hn::Store(sum, d, stack_[slot] + j);
    }
  }
  void Chain(int slot, std::span<const int> leaves) {
    const D d;
    const size_t n = hn::Lanes(d);
    float* sums = stack_[slot];
    for (size_t j = 0; j < kPanel; j += 4 * n) {
      V s0 = hn::Load(d, sums + j), s1 = hn::Load(d, sums + j + n);
      V s2 = hn::Load(d, sums + j + 2 * n), s3 = hn::Load(d, sums + j + 3 * n);
      for (const int leaf : leaves) {
        const float* a = columns_.a + leaf * columns_.a_stride + first_ + j;
        s0 = hn::MulAdd(hn::LoadU(d, a), Factor(leaf, j), s0);
        s1 = hn::MulAdd(hn::LoadU(d, a + n), Factor(leaf, j + n), s1);
        s2 = hn::MulAdd(hn::LoadU(d, a + 2 * n), Factor(leaf, j + 2 * n), s2);
        s3 = hn::MulAdd(hn::LoadU(d, a + 3 * n), Factor(leaf, j + 3 * n), s3);
      }
      hn::Store(s0, d, sums + j);
      hn::Store(s1, d, sums + j + n);
      hn::Store(s2, d, sums + j + 2 * n);
      hn::Store(s3, d, sums + j + 3 * n);
    }
  }
  void Matrix(int, std::span<const int>) {
    throw std::logic_error("a tree with matrix instructions needs a matrix unit");
  }

  HWY_INLINE void StoreResult(float* out) const {
    const D d;
    const V nan = hn::BitCast(d, hn::Set(hn::Repartition<uint32_t, D>(), 0x7FFFFFFFu));
    for (size_t j = 0; j < kPanel; j += hn::Lanes(d)) {
      const V x = hn::Load(d, stack_[0] + j);
      hn::StoreU(hn::IfThenElse(hn::IsNaN(x), nan, x), d, out + first_ + j);
    }
  }

 private:
  HWY_INLINE V Factor(int leaf, size_t j) const {
    const D d;
    const float* b = columns_.b + leaf * columns_.b_stride;
    return columns_.broadcast ? hn::Set(d, *b) : hn::LoadU(d, b + first_ + j);
  }

  const Columns& columns_;
  const size_t first_;
  HWY_ALIGN float stack_[kMaxStack][kPanel];
};

void SumPanels(const Tree& tree, const Columns& columns, size_t width, float* out) {
  for (size_t first = 0; first < width; first += kPanel) {
    PanelMachine machine(columns, first);
    Execute(tree, machine);
    machine.StoreResult(out);
  }
}

}  // namespace
}  // namespace samebits::order::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace samebits::order {

HWY_EXPORT(SumPanels);

bool SimdSupported() {
#if HWY_ARCH_X86
  return (hwy::SupportedTargets() & (HWY_AVX2 | HWY_AVX3 | HWY_AVX3_DL)) != 0;
#else
  return true;
#endif
}

void SumColumnsSimd(const Tree& tree, const Columns& columns, size_t width, float* out) {
  if (tree.stack > kMaxStack) throw std::logic_error("tree " + tree.name + " is too deep");
  constexpr size_t kPanel = 128;
  const size_t whole = width / kPanel * kPanel;
  HWY_DYNAMIC_DISPATCH(SumPanels)(tree, columns, whole, out);
  if (whole == width) return;
  Columns rest = columns;
  rest.a += whole;
  if (!rest.broadcast) rest.b += whole;
  if (rest.start) rest.start += whole;
  SumColumns(tree, rest, width - whole, out + whole);
}

}  // namespace samebits::order
#endif  // HWY_ONCE
