// PAIR (matrix_units.md, section 2.4) and the fma chain, with one row per lane: float32 arithmetic
// of the host, which rounds as they do.
#if defined(SAMEBITS_MODEL_UNITS_MATRIX_UNIT_PAIR_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SAMEBITS_MODEL_UNITS_MATRIX_UNIT_PAIR_INL_H_
#undef SAMEBITS_MODEL_UNITS_MATRIX_UNIT_PAIR_INL_H_
#else
#define SAMEBITS_MODEL_UNITS_MATRIX_UNIT_PAIR_INL_H_
#endif

#include "model/units/matrix_unit_vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace samebits::units::HWY_NAMESPACE {
namespace {

/// Subnormals become zeros, of the same sign or +0.
template <bool kKeepSign>
HWY_INLINE VF Flush(VF x) {
  const F32 d;
  const VF smallest = hn::BitCast(d, hn::Set(I32(), 0x00800000));
  const auto tiny = hn::Lt(hn::Abs(x), smallest);
  if (kKeepSign) return hn::IfThenElse(tiny, hn::CopySign(hn::Zero(d), x), x);
  const auto subnormal = hn::And(tiny, hn::Ne(x, hn::Zero(d)));
  return hn::IfThenZeroElse(subnormal, x);
}

template <int kColumns>
void PairTile(const MatrixUnit& unit, const Tile& t) {
  const F32 d;
  const int n = unit.block_size();
  const auto result = [&](VF x) { return unit.flush_results ? Flush<true>(x) : x; };
  VF level[kMaxBlock];
  for (int j = 0; j < kColumns; ++j) {
    const float* b = t.b + j * t.b_stride;
    for (size_t row = 0; row < kRows; row += hn::Lanes(d)) {
      VF c = hn::LoadU(d, t.sums + j * kRows + row);
      for (int k0 = 0; k0 < t.k; k0 += n) {
        for (int i = 0; i < n; ++i) {
          VF a = hn::LoadU(d, t.a + (k0 + i) * kRows + row);
          if (unit.flush_inputs) a = Flush<false>(a);
          level[i] = result(hn::Mul(a, hn::Set(d, b[k0 + i])));
        }
        for (int width = n / 2; width > 0; width /= 2) {
          for (int i = 0; i < width; ++i) {
            level[i] = result(hn::Add(level[2 * i], level[2 * i + 1]));
          }
        }
        c = result(hn::Add(c, level[0]));
      }
      hn::StoreU(WithNan(c, unit.nan_bits), d, t.sums + j * kRows + row);
    }
  }
}

template <int kColumns>
void SequentialTile(const MatrixUnit& unit, const Tile& t) {
  const F32 d;
  for (size_t row = 0; row < kRows; row += hn::Lanes(d)) {
    VF c[kColumns];
    for (int j = 0; j < kColumns; ++j) c[j] = hn::LoadU(d, t.sums + j * kRows + row);
    for (int k = 0; k < t.k; ++k) {
      const VF a = hn::LoadU(d, t.a + k * kRows + row);
      for (int j = 0; j < kColumns; ++j) {
        c[j] = hn::MulAdd(a, hn::Set(d, t.b[j * t.b_stride + k]), c[j]);
      }
    }
    for (int j = 0; j < kColumns; ++j) {
      hn::StoreU(WithNan(c[j], unit.nan_bits), d, t.sums + j * kRows + row);
    }
  }
}

}  // namespace
}  // namespace samebits::units::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // SAMEBITS_MODEL_UNITS_MATRIX_UNIT_PAIR_INL_H_
