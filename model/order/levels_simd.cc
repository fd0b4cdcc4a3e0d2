// SumProducts with one chain per vector lane.
#include "model/arith/float32.h"
#include "model/order/levels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/order/levels_simd.cc"
#include <hwy/foreach_target.h>
// After foreach_target.h.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace samebits::order::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<float, 8>;
using V = hn::Vec<D>;

/// The sums of the chains.
void SumChains(const Levels& levels, const float* a, const float* b, float* sums) {
  const D d;
  const hn::RebindToSigned<D> di;
  for (size_t c = 0; c < levels.width; c += hn::Lanes(d)) {
    const int32_t* row = levels.leaves.data() + c;
    const auto factor = [&](const float* x)
                            HWY_ATTR { return hn::GatherIndex(d, x, hn::LoadU(di, row)); };
    V sum = hn::Zero(d);
    for (size_t r = 0; r < levels.length; ++r, row += levels.width) {
      const V x = factor(a), y = a == b ? x : factor(b);
      sum = r == 0 && !levels.from_zero ? hn::Mul(x, y) : hn::MulAdd(x, y, sum);
    }
    hn::Store(sum, d, sums + c);
  }
}

float Sum(const Levels& levels, const float* a, const float* b) {
  const D d;
  HWY_ALIGN float sums[Levels::kMaxWidth];
  SumChains(levels, a, b, sums);
  size_t half = levels.width / 2;
  for (; half >= hn::Lanes(d); half /= 2) {
    for (size_t i = 0; i < half; i += hn::Lanes(d)) {
      hn::Store(hn::Add(hn::Load(d, sums + i), hn::Load(d, sums + half + i)), d, sums + i);
    }
  }
  for (; half > 0; half /= 2) {
    for (size_t i = 0; i < half; ++i) sums[i] += sums[half + i];
  }
  return arith::Canonical(sums[0]);
}

}  // namespace
}  // namespace samebits::order::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace samebits::order {

HWY_EXPORT(Sum);

float SumProductsSimd(const Levels& levels, const float* a, const float* b) {
  return HWY_DYNAMIC_DISPATCH(Sum)(levels, a, b);
}

}  // namespace samebits::order
#endif  // HWY_ONCE
