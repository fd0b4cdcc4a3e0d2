#include "model/kda_decode/elementwise.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/kda_decode/elementwise_simd.cc"
#include <hwy/foreach_target.h>
// After foreach_target.h.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace samebits::kda_decode::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<float>;
using U = hn::RebindToUnsigned<D>;
using V = hn::Vec<D>;

HWY_INLINE V NanOr(V x, V otherwise, uint32_t nan) {
  return hn::IfThenElse(hn::IsNaN(x), hn::BitCast(D(), hn::Set(U(), nan)), otherwise);
}
HWY_INLINE V Canonical(V x) { return NanOr(x, x, 0x7FFFFFFFu); }

/// out[i] = function(i), vector by vector.
template <typename Function>
HWY_INLINE size_t ForVectors(size_t n, float* out, const Function& function) {
  const D d;
  size_t i = 0;
  for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d)) hn::StoreU(function(i), d, out + i);
  return i;
}

size_t AddArrays(const float* a, const float* b, float* out, size_t n) {
  const D d;
  return ForVectors(n, out, [&](size_t i) HWY_ATTR {
    return Canonical(hn::Add(hn::LoadU(d, a + i), hn::LoadU(d, b + i)));
  });
}

size_t SubArrays(const float* a, const float* b, float* out, size_t n) {
  const D d;
  return ForVectors(n, out, [&](size_t i) HWY_ATTR {
    return Canonical(hn::Sub(hn::LoadU(d, a + i), hn::LoadU(d, b + i)));
  });
}

size_t MulArrays(const float* a, const float* b, float* out, size_t n) {
  const D d;
  return ForVectors(n, out, [&](size_t i) HWY_ATTR {
    return Canonical(hn::Mul(hn::LoadU(d, a + i), hn::LoadU(d, b + i)));
  });
}

size_t AddScalar(const float* a, float b, float* out, size_t n) {
  const D d;
  const V addend = hn::Set(d, b);
  return ForVectors(
      n, out, [&](size_t i) HWY_ATTR { return Canonical(hn::Add(hn::LoadU(d, a + i), addend)); });
}

size_t MulScalar(const float* a, float b, float* out, size_t n) {
  const D d;
  const V factor = hn::Set(d, b);
  return ForVectors(
      n, out, [&](size_t i) HWY_ATTR { return Canonical(hn::Mul(hn::LoadU(d, a + i), factor)); });
}

size_t RoundArray(const float* x, float* out, size_t n) {
  const D d;
  const U u;
  return ForVectors(n, out, [&](size_t i) HWY_ATTR {
    const V value = hn::LoadU(d, x + i);
    const auto bits = hn::BitCast(u, value);
    const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(u, 1u));
    const auto rounded = hn::Add(bits, hn::Add(odd, hn::Set(u, 0x7FFFu)));
    return NanOr(value, hn::BitCast(d, hn::And(rounded, hn::Set(u, 0xFFFF0000u))), 0x7FFF0000u);
  });
}

}  // namespace
}  // namespace samebits::kda_decode::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace samebits::kda_decode {

HWY_EXPORT(AddArrays);
HWY_EXPORT(SubArrays);
HWY_EXPORT(MulArrays);
HWY_EXPORT(AddScalar);
HWY_EXPORT(MulScalar);
HWY_EXPORT(RoundArray);

size_t AddSimd(const float* a, const float* b, float* out, size_t n) {
  return HWY_DYNAMIC_DISPATCH(AddArrays)(a, b, out, n);
}

size_t SubSimd(const float* a, const float* b, float* out, size_t n) {
  return HWY_DYNAMIC_DISPATCH(SubArrays)(a, b, out, n);
}

size_t MulSimd(const float* a, const float* b, float* out, size_t n) {
  return HWY_DYNAMIC_DISPATCH(MulArrays)(a, b, out, n);
}

size_t AddSimd(const float* a, float b, float* out, size_t n) {
  return HWY_DYNAMIC_DISPATCH(AddScalar)(a, b, out, n);
}

size_t MulSimd(const float* a, float b, float* out, size_t n) {
  return HWY_DYNAMIC_DISPATCH(MulScalar)(a, b, out, n);
}

size_t RoundToBf16Simd(const float* x, float* out, size_t n) {
  return HWY_DYNAMIC_DISPATCH(RoundArray)(x, out, n);
}

}  // namespace samebits::kda_decode
#endif  // HWY_ONCE
