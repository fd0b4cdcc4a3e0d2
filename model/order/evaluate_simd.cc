// SumColumns with one output per vector lane.
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
using D = hn::CappedTag<float, 8>;
using V = hn::Vec<D>;

constexpr size_t kPanel = 4 * hn::MaxLanes(D());  // outputs that a slot holds

/// The top of the stack lives in registers, the slots below it in memory of the caller's: inside
/// the object it would keep compilers from giving the rest registers.
template <bool kBroadcast>
class PanelMachine {
 public:
  /// The outputs [first, first + kPanel).
  PanelMachine(const Columns& columns, size_t first, float (*stack)[kPanel])
      : a_(columns.a + first),
        b_(kBroadcast ? columns.b : columns.b + first),
        start_(columns.start ? columns.start + first : nullptr),
        a_stride_(columns.a_stride),
        b_stride_(columns.b_stride),
        stack_(stack) {}

  void Zero(int slot) {
    Push(slot);
    s0_ = s1_ = s2_ = s3_ = hn::Zero(D());
  }
  void Start(int slot) {
    if (start_ == nullptr) return Zero(slot);
    const D d;
    Push(slot);
    s0_ = hn::LoadU(d, start_);
    s1_ = hn::LoadU(d, start_ + n());
    s2_ = hn::LoadU(d, start_ + 2 * n());
    s3_ = hn::LoadU(d, start_ + 3 * n());
  }
  void Leaf(int slot, int leaf) {
    const D d;
    Push(slot);
    const float* a = a_ + leaf * a_stride_;
    const float* b = b_ + leaf * b_stride_;
    s0_ = hn::Mul(hn::LoadU(d, a), Factor(b, 0));
    s1_ = hn::Mul(hn::LoadU(d, a + n()), Factor(b, n()));
    s2_ = hn::Mul(hn::LoadU(d, a + 2 * n()), Factor(b, 2 * n()));
    s3_ = hn::Mul(hn::LoadU(d, a + 3 * n()), Factor(b, 3 * n()));
  }
  void Add(int slot, int) {
    const D d;
    const float* left = stack_[slot];
    s0_ = hn::Add(hn::Load(d, left), s0_);
    s1_ = hn::Add(hn::Load(d, left + n()), s1_);
    s2_ = hn::Add(hn::Load(d, left + 2 * n()), s2_);
    s3_ = hn::Add(hn::Load(d, left + 3 * n()), s3_);
  }
  void Chain(int, std::span<const int> leaves) {
    const D d;
    for (const int leaf : leaves) {
      const float* a = a_ + leaf * a_stride_;
      const float* b = b_ + leaf * b_stride_;
      s0_ = hn::MulAdd(hn::LoadU(d, a), Factor(b, 0), s0_);
      s1_ = hn::MulAdd(hn::LoadU(d, a + n()), Factor(b, n()), s1_);
      s2_ = hn::MulAdd(hn::LoadU(d, a + 2 * n()), Factor(b, 2 * n()), s2_);
      s3_ = hn::MulAdd(hn::LoadU(d, a + 3 * n()), Factor(b, 3 * n()), s3_);
    }
  }
  void Matrix(int, std::span<const int>) {
    throw std::logic_error("a tree with matrix instructions needs a matrix unit");
  }

  /// NaNs canonical.
  void StoreResult(float* out) const {
    const D d;
    const V nan = hn::BitCast(d, hn::Set(hn::RebindToUnsigned<D>(), 0x7FFFFFFFu));
    const auto store = [&](V x, float* to)
                           HWY_ATTR { hn::StoreU(hn::IfThenElse(hn::IsNaN(x), nan, x), d, to); };
    store(s0_, out);
    store(s1_, out + n());
    store(s2_, out + 2 * n());
    store(s3_, out + 3 * n());
  }

 private:
  static constexpr size_t n() { return hn::MaxLanes(D()); }

  /// Makes `slot` the top.
  void Push(int slot) {
    if (slot == 0) return;
    const D d;
    float* below = stack_[slot - 1];
    hn::Store(s0_, d, below);
    hn::Store(s1_, d, below + n());
    hn::Store(s2_, d, below + 2 * n());
    hn::Store(s3_, d, below + 3 * n());
  }

  static V Factor(const float* b, size_t j) {
    const D d;
    return kBroadcast ? hn::Set(d, *b) : hn::LoadU(d, b + j);
  }

  const float* const a_;
  const float* const b_;
  const float* const start_;
  const size_t a_stride_, b_stride_;
  float (*const stack_)[kPanel];
  V s0_, s1_, s2_, s3_;
};

template <bool kBroadcast>
size_t SumPanelsAs(const Tree& tree, const Columns& columns, size_t width, float* out) {
  HWY_ALIGN float stack[kMaxStack][kPanel];
  size_t first = 0;
  for (; first + kPanel <= width; first += kPanel) {
    PanelMachine<kBroadcast> machine(columns, first, stack);
    Execute(tree, machine);
    machine.StoreResult(out + first);
  }
  return first;
}

/// Returns the number of outputs that were whole panels; the others are left.
size_t SumPanels(const Tree& tree, const Columns& columns, size_t width, float* out) {
  return columns.broadcast ? SumPanelsAs<true>(tree, columns, width, out)
                           : SumPanelsAs<false>(tree, columns, width, out);
}

}  // namespace
}  // namespace samebits::order::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace samebits::order {

HWY_EXPORT(SumPanels);

void SumColumnsSimd(const Tree& tree, const Columns& columns, size_t width, float* out) {
  if (tree.stack > kMaxStack) throw std::logic_error("tree " + tree.name + " is too deep");
  const size_t whole = HWY_DYNAMIC_DISPATCH(SumPanels)(tree, columns, width, out);
  if (whole == width) return;
  Columns rest = columns;
  rest.a += whole;
  if (!rest.broadcast) rest.b += whole;
  if (rest.start != nullptr) rest.start += whole;
  SumColumns(tree, rest, width - whole, out + whole);
}

}  // namespace samebits::order
#endif  // HWY_ONCE
