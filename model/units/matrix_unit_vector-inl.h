// What the vector blocks share: one row per lane, a few columns at a time.
#include "model/units/matrix_unit_simd.h"

#if defined(SAMEBITS_MODEL_UNITS_MATRIX_UNIT_VECTOR_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SAMEBITS_MODEL_UNITS_MATRIX_UNIT_VECTOR_INL_H_
#undef SAMEBITS_MODEL_UNITS_MATRIX_UNIT_VECTOR_INL_H_
#else
#define SAMEBITS_MODEL_UNITS_MATRIX_UNIT_VECTOR_INL_H_
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace samebits::units::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr int kRows = PackedMatrix::kGroup;
using F32 = hn::CappedTag<float, kRows>;
using I32 = hn::RebindToSigned<F32>;
using I16 = hn::CappedTag<int16_t, kRows>;
using VF = hn::Vec<F32>;
using VI = hn::Vec<I32>;
using F64 = hn::Repartition<double, F32>;
using HalfF32 = hn::Rebind<float, F64>;  // as many lanes as F64
using VD = hn::Vec<F64>;

// Exponents of sums that hold no zero and no special value lie in [-252, 254].
constexpr int kNoTerm = -500;      // below: every term is zero
constexpr int kMaxExponent = 126;  // up to here no product reaches 2^128

/// A group of 16 rows times `Columns` columns, block by block. sums: [Columns][16].
struct Tile {
  const float* a;        // [padded_k][16]
  const int16_t* a_exp;  // [padded_k][16]
  const float* b;        // [columns][b_stride]
  const int16_t* b_exp;  // [columns][b_stride]
  int64_t b_stride;
  int k;     // whole instructions
  int rows;  // rows that exist
  float* sums;
};

/// Truncation toward zero; 0x80000000 where the value does not fit. (ConvertTo spends three more
/// instructions on such values, which no used lane holds.)
HWY_INLINE VI Truncate(VF x) {
#if HWY_TARGET == HWY_AVX2
  return VI{_mm256_cvttps_epi32(x.raw)};
#elif HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  return VI{_mm512_cvttps_epi32(x.raw)};
#else
  return hn::ConvertTo(I32(), x);
#endif
}

/// 2^e for e in [-126, 127], else unspecified.
HWY_INLINE VF PowerOfTwo(VI e) {
  return hn::BitCast(F32(), hn::ShiftLeft<23>(hn::Add(e, hn::Set(I32(), 127))));
}

/// PackedMatrix::Exponent of float32 values: kZero for zeros, 128 for infinities and NaNs.
HWY_INLINE VI Exponent(VF x) {
  const I32 di;
  const VI bits = hn::And(hn::BitCast(di, x), hn::Set(di, 0x7FFFFFFF));
  const VI e = hn::Sub(hn::Max(hn::ShiftRight<23>(bits), hn::Set(di, 1)), hn::Set(di, 127));
  return hn::IfThenElse(hn::Eq(bits, hn::Zero(di)), hn::Set(di, PackedMatrix::kZero), e);
}

HWY_INLINE VF WithNan(VF x, uint32_t nan_bits) {
  const VF nan = hn::BitCast(F32(), hn::Set(I32(), static_cast<int32_t>(nan_bits)));
  return hn::IfThenElse(hn::IsNaN(x), nan, x);
}

/// Largest exponent of the products k0..k0+n per row: exponents [kColumns][16].
template <int kColumns>
HWY_INLINE void MaxExponents(const Tile& t, int k0, int n, int16_t* exponents) {
  const I16 d;
  for (size_t r = 0; r < kRows; r += hn::Lanes(d)) {
    hn::Vec<I16> e[kColumns];
    for (int j = 0; j < kColumns; ++j) e[j] = hn::Set(d, 2 * PackedMatrix::kZero);
    for (int k = k0; k < k0 + n; ++k) {
      const auto a = hn::LoadU(d, t.a_exp + k * kRows + r);
      for (int j = 0; j < kColumns; ++j) {
        e[j] = hn::Max(e[j], hn::Add(a, hn::Set(d, t.b_exp[j * t.b_stride + k])));
      }
    }
    for (int j = 0; j < kColumns; ++j) hn::StoreU(e[j], d, exponents + j * kRows + r);
  }
}

HWY_INLINE VI LoadExponents(const int16_t* exponents) {
  return hn::PromoteTo(I32(), hn::LoadU(hn::Rebind<int16_t, I32>(), exponents));
}

/// Sums of the products k0..k0+n, each times scale[j] and truncated. Exact if |sum| < 2^31:
/// a product of bf16 values has 16 significant bits, and where a product is so small that float32
/// rounds it, it is below 1 after the scaling either way (the exponent ranges of the callers).
template <int kColumns>
HWY_INLINE void ScaledSums(const Tile& t, int row, int k0, int n, const VF* scale, VI* sum) {
  const F32 d;
  for (int j = 0; j < kColumns; ++j) sum[j] = hn::Zero(I32());
  for (int k = k0; k < k0 + n; ++k) {
    const VF a = hn::LoadU(d, t.a + k * kRows + row);
    for (int j = 0; j < kColumns; ++j) {
      const VF product = hn::Mul(a, hn::Set(d, t.b[j * t.b_stride + k]));
      sum[j] = hn::Add(sum[j], Truncate(hn::Mul(product, scale[j])));
    }
  }
}

/// Lanes whose exponent lies outside [low, kMaxExponent].
HWY_INLINE auto OutOfRange(VI e, int low) {
  const I32 di;
  return hn::Or(hn::Gt(e, hn::Set(di, kMaxExponent)), hn::Lt(e, hn::Set(di, low)));
}

/// Recomputes the rows of `lanes` from their accumulators, which `before` holds, into t.sums.
HWY_INLINE void Recompute(const MatrixUnit& unit, const Tile& t, int column, int k0, int n,
                          uint32_t lanes, const float* before) {
  for (; lanes != 0; lanes &= lanes - 1) {
    const int row = std::countr_zero(lanes);
    if (row >= t.rows) return;
    t.sums[column * kRows + row] = SumBlockStrided(unit, t.a + k0 * kRows + row, kRows,
                                                   t.b + column * t.b_stride + k0, n, before[row]);
  }
}

template <class D>
HWY_INLINE uint32_t LaneBits(D d, hn::Mask<D> mask) {
  uint8_t bytes[8] = {};
  hn::StoreMaskBits(d, mask, bytes);
  return bytes[0] | uint32_t{bytes[1]} << 8;
}

}  // namespace
}  // namespace samebits::units::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // SAMEBITS_MODEL_UNITS_MATRIX_UNIT_VECTOR_INL_H_
