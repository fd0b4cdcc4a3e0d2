#include <hwy/cache_control.h>

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
constexpr size_t kWidth = kBlockValues;

using D = hn::CappedTag<float, kWidth>;
using V = hn::Vec<D>;

/// Tiles of 4 columns of as many rows as a vector of at most 8 has lanes.
using DTile = hn::CappedTag<float, 8>;
using VTile = hn::Vec<DTile>;
constexpr size_t kRows = hn::MaxLanes(DTile());
/// Elements between what a tile loads and what is asked for meanwhile; a page is contiguous.
constexpr size_t kAhead = 16 * kDim;

HWY_INLINE VTile Canonical(VTile x) {
  const DTile d;
  const VTile nan = hn::BitCast(d, hn::Set(hn::RebindToUnsigned<DTile>(), 0x7FFFFFFFu));
  return hn::IfThenElse(hn::IsNaN(x), nan, x);
}

/// 4 columns of row 0 and, in the upper half of 8 lanes, of row 4.
template <bool kCanonical, class DV>
HWY_INLINE hn::Vec<DV> LoadRows(DV d, const float* from, size_t stride) {
  hn::Vec<DV> x;
  if constexpr (hn::MaxLanes(DV()) == 8) {
    const hn::Half<DV> half;
    x = hn::Combine(d, hn::LoadU(half, from + 4 * stride), hn::LoadU(half, from));
  } else {
    x = hn::LoadU(d, from);
  }
  if constexpr (kCanonical) x = Canonical(x);
  return x;
}

/// to[j][i] = from[i][j], i < kRows, j < 4.
template <bool kCanonical>
HWY_INLINE void TransposeTile(const float* from, size_t from_stride, float* to, size_t to_stride) {
  const DTile d;
  const hn::Repartition<uint64_t, DTile> pairs;
  const VTile r0 = LoadRows<kCanonical>(d, from, from_stride);
  const VTile r1 = LoadRows<kCanonical>(d, from + from_stride, from_stride);
  const VTile r2 = LoadRows<kCanonical>(d, from + 2 * from_stride, from_stride);
  const VTile r3 = LoadRows<kCanonical>(d, from + 3 * from_stride, from_stride);
  const auto low01 = hn::BitCast(pairs, hn::InterleaveLower(d, r0, r1));
  const auto low23 = hn::BitCast(pairs, hn::InterleaveLower(d, r2, r3));
  const auto high01 = hn::BitCast(pairs, hn::InterleaveUpper(d, r0, r1));
  const auto high23 = hn::BitCast(pairs, hn::InterleaveUpper(d, r2, r3));
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, low01, low23)), d, to);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, low01, low23)), d, to + to_stride);
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, high01, high23)), d, to + 2 * to_stride);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, high01, high23)), d, to + 3 * to_stride);
}

void Load(const float* rows, float* state) {
  for (size_t v = 0; v < kWidth; v += kRows) {
    for (size_t k = 0; k < kDim; k += 4) {
      // One cache line after the other, kRows / 4 of them per tile.
      for (size_t i = 0; i < 4 * kRows; i += 16) {
        hwy::Prefetch(rows + v * kDim + kAhead + kRows * k + i);
      }
      TransposeTile<false>(rows + v * kDim + k, kDim, state + k * kWidth + v, kWidth);
    }
  }
}

void StoreCanonical(const float* state, float* rows) {
  for (size_t v = 0; v < kWidth; v += 4) {
    for (size_t k = 0; k < kDim; k += kRows) {
      TransposeTile<true>(state + k * kWidth + v, kWidth, rows + v * kDim + k, kDim);
    }
  }
}

void Scale(const float* factors, float* state) {
  const D d;
  for (size_t k = 0; k < kDim; ++k, state += kWidth) {
    const V factor = hn::Set(d, factors[k]);
    for (size_t v = 0; v < kWidth; v += hn::Lanes(d)) {
      hn::Store(hn::Mul(hn::Load(d, state + v), factor), d, state + v);
    }
  }
}

template <bool kFused>
HWY_INLINE void AddProduct(const float* kn, const float* correction, float* state) {
  const D d;
  for (size_t k = 0; k < kDim; ++k, state += kWidth) {
    const V key = hn::Set(d, kn[k]);
    for (size_t v = 0; v < kWidth; v += hn::Lanes(d)) {
      const V c = hn::LoadU(d, correction + v), s = hn::Load(d, state + v);
      hn::Store(kFused ? hn::MulAdd(key, c, s) : hn::Add(s, hn::Mul(key, c)), d, state + v);
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

void LoadBlockSimd(const float* rows, BlockRow* state) {
  HWY_DYNAMIC_DISPATCH(Load)(rows, state[0]);
}

void StoreBlockSimd(const BlockRow* state, float* rows) {
  HWY_DYNAMIC_DISPATCH(StoreCanonical)(state[0], rows);
}

void ScaleKeysSimd(const float* d, BlockRow* state) { HWY_DYNAMIC_DISPATCH(Scale)(d, state[0]); }

void AddOuterProductSimd(const float* kn, const float* correction, bool fused, BlockRow* state) {
  if (fused) {
    HWY_DYNAMIC_DISPATCH(AddFused)(kn, correction, state[0]);
  } else {
    HWY_DYNAMIC_DISPATCH(AddSeparate)(kn, correction, state[0]);
  }
}

}  // namespace samebits::kda_decode
#endif  // HWY_ONCE
