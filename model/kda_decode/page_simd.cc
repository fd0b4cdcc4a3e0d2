#include "model/kda_decode/page.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/kda_decode/page_simd.cc"
#include <hwy/foreach_target.h>
// After foreach_target.h.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace samebits::kda_decode::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
constexpr size_t kDim = 128;

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;
using D4 = hn::FixedTag<float, 4>;
using V4 = hn::Vec<D4>;

HWY_INLINE V4 Canonical(V4 x) {
  const D4 d;
  const V4 nan = hn::BitCast(d, hn::Set(hn::FixedTag<uint32_t, 4>(), 0x7FFFFFFFu));
  return hn::IfThenElse(hn::IsNaN(x), nan, x);
}

/// to[j][i] = from[i][j], i, j < 4.
template <bool kCanonical>
HWY_INLINE void Transpose4x4(const float* from, float* to) {
  const D4 d;
  const hn::FixedTag<uint64_t, 2> pairs;
  V4 r0 = hn::LoadU(d, from), r1 = hn::LoadU(d, from + kDim);
  V4 r2 = hn::LoadU(d, from + 2 * kDim), r3 = hn::LoadU(d, from + 3 * kDim);
  if constexpr (kCanonical) {
    r0 = Canonical(r0);
    r1 = Canonical(r1);
    r2 = Canonical(r2);
    r3 = Canonical(r3);
  }
  const auto low01 = hn::BitCast(pairs, hn::InterleaveLower(d, r0, r1));
  const auto low23 = hn::BitCast(pairs, hn::InterleaveLower(d, r2, r3));
  const auto high01 = hn::BitCast(pairs, hn::InterleaveUpper(d, r0, r1));
  const auto high23 = hn::BitCast(pairs, hn::InterleaveUpper(d, r2, r3));
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, low01, low23)), d, to);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, low01, low23)), d, to + kDim);
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, high01, high23)), d, to + 2 * kDim);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, high01, high23)), d, to + 3 * kDim);
}

/// In squares of 16 x 16, so that both sides stay in few cache lines.
template <bool kCanonical>
void Transpose(const float* from, float* to) {
  for (size_t i0 = 0; i0 < kDim; i0 += 16) {
    for (size_t j0 = 0; j0 < kDim; j0 += 16) {
      for (size_t j = j0; j < j0 + 16; j += 4) {
        for (size_t i = i0; i < i0 + 16; i += 4) {
          Transpose4x4<kCanonical>(from + i * kDim + j, to + j * kDim + i);
        }
      }
    }
  }
}

void Load(const float* page, float* state) { Transpose<false>(page, state); }
void StoreCanonical(const float* state, float* page) { Transpose<true>(state, page); }

void Scale(const float* factors, float* state) {
  const D d;
  for (size_t k = 0; k < kDim; ++k, state += kDim) {
    const V factor = hn::Set(d, factors[k]);
    for (size_t v = 0; v < kDim; v += hn::Lanes(d)) {
      hn::StoreU(hn::Mul(hn::LoadU(d, state + v), factor), d, state + v);
    }
  }
}

template <bool kFused>
HWY_INLINE void AddProduct(const float* kn, const float* correction, float* state) {
  const D d;
  for (size_t k = 0; k < kDim; ++k, state += kDim) {
    const V key = hn::Set(d, kn[k]);
    for (size_t v = 0; v < kDim; v += hn::Lanes(d)) {
      const V c = hn::LoadU(d, correction + v), s = hn::LoadU(d, state + v);
      hn::StoreU(kFused ? hn::MulAdd(key, c, s) : hn::Add(s, hn::Mul(key, c)), d, state + v);
    }
  }
}

void AddFused(const float* kn, const float* correction, float* state) {
  AddProduct<true>(kn, correction, state);
}
void AddSeparate(const float* kn, const float* correction, float* state) {
  AddProduct<false>(kn, correction, state);
}

}  // namespace
}  // namespace samebits::kda_decode::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace samebits::kda_decode {

HWY_EXPORT(Load);
HWY_EXPORT(StoreCanonical);
HWY_EXPORT(Scale);
HWY_EXPORT(AddFused);
HWY_EXPORT(AddSeparate);

void LoadPageSimd(const float* page, float (*state)[128]) {
  HWY_DYNAMIC_DISPATCH(Load)(page, state[0]);
}

void StorePageSimd(const float (*state)[128], float* page) {
  HWY_DYNAMIC_DISPATCH(StoreCanonical)(state[0], page);
}

void ScaleKeysSimd(const float* d, float (*state)[128]) {
  HWY_DYNAMIC_DISPATCH(Scale)(d, state[0]);
}

void AddOuterProductSimd(const float* kn, const float* correction, bool fused,
                         float (*state)[128]) {
  if (fused) {
    HWY_DYNAMIC_DISPATCH(AddFused)(kn, correction, state[0]);
  } else {
    HWY_DYNAMIC_DISPATCH(AddSeparate)(kn, correction, state[0]);
  }
}

}  // namespace samebits::kda_decode
#endif  // HWY_ONCE
