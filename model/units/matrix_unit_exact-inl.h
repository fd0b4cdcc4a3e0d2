// Exact sums with one rounding, with one row per lane.
#if defined(SAMEBITS_MODEL_UNITS_MATRIX_UNIT_EXACT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SAMEBITS_MODEL_UNITS_MATRIX_UNIT_EXACT_INL_H_
#undef SAMEBITS_MODEL_UNITS_MATRIX_UNIT_EXACT_INL_H_
#else
#define SAMEBITS_MODEL_UNITS_MATRIX_UNIT_EXACT_INL_H_
#endif

#include "model/units/matrix_unit_vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace samebits::units::HWY_NAMESPACE {
namespace {

/// Sums in float64, which holds every product exactly. Each addition also yields its rounding error
/// (Knuth's TwoSum); where all errors of a block are zero the sum is exact, and its conversion is
/// the one rounding. Other lanes, infinities and NaNs among them, are recomputed.
template <int kColumns>
void ExactTile(const MatrixUnit& unit, const Tile& t) {
  const F64 d;
  const HalfF32 df;
  const int n = unit.block_size();
  HWY_ALIGN float before[kRows];
  for (int j = 0; j < kColumns; ++j) {
    float* sums = t.sums + j * kRows;
    for (int k0 = 0; k0 < t.k; k0 += n) {
      const float* b = t.b + j * t.b_stride + k0;
      uint32_t slow = 0;
      for (size_t row = 0; row < kRows; row += hn::Lanes(d)) {
        const auto c = hn::LoadU(df, sums + row);
        hn::Store(c, df, before + row);
        VD sum = hn::Add(hn::PromoteTo(d, c), hn::Zero(d));  // -0 becomes +0
        auto exact = hn::Eq(sum, sum);
        for (int i = 0; i < n; ++i) {
          const VD a = hn::PromoteTo(d, hn::LoadU(df, t.a + (k0 + i) * kRows + row));
          const VD product = hn::Mul(a, hn::Set(d, static_cast<double>(b[i])));
          const VD next = hn::Add(sum, product);
          const VD of_product = hn::Sub(next, sum);
          const VD of_sum = hn::Sub(next, of_product);
          exact = hn::And(exact, hn::And(hn::Eq(of_product, product), hn::Eq(of_sum, sum)));
          sum = next;
        }
        hn::StoreU(hn::DemoteTo(df, sum), df, sums + row);
        slow |= LaneBits(d, hn::Not(exact)) << row;
      }
      Recompute(unit, t, j, k0, n, slow, before);
    }
  }
}

}  // namespace
}  // namespace samebits::units::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // SAMEBITS_MODEL_UNITS_MATRIX_UNIT_EXACT_INL_H_
