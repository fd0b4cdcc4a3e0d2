// JOIN (matrix_units.md, section 2.2) with one row per lane.
#if defined(SAMEBITS_MODEL_UNITS_MATRIX_UNIT_JOIN_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SAMEBITS_MODEL_UNITS_MATRIX_UNIT_JOIN_INL_H_
#undef SAMEBITS_MODEL_UNITS_MATRIX_UNIT_JOIN_INL_H_
#else
#define SAMEBITS_MODEL_UNITS_MATRIX_UNIT_JOIN_INL_H_
#endif

#include "model/units/matrix_unit_vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace samebits::units::HWY_NAMESPACE {
namespace {

/// (products + c) * 2^(e - fraction_bits), truncated toward zero. |products| < 2^31, |c| < 2^31,
/// |products + c| < 2^32; e - fraction_bits in [-126, 126], so that no result is subnormal.
HWY_INLINE VF TruncatedFloat(VI products, VI c, VI e, int fraction_bits) {
  const I32 di;
  const VI sum = hn::Add(products, c);  // modulo 2^32
  const VI overflow = hn::And(hn::Xor(products, sum), hn::Xor(c, sum));
  const VI sign = hn::BroadcastSignBit(hn::Xor(sum, overflow));
  const auto magnitude =
      hn::BitCast(hn::RebindToUnsigned<I32>(), hn::Sub(hn::Xor(sum, sign), sign));
  // Signed conversions take 31 bits: halve what has 32, whose lowest bit is not kept anyway.
  const auto halved = hn::ShiftRight<31>(magnitude);
  const auto m = hn::Shr(magnitude, halved);
  // Clearing the bit below the 24 that a float32 keeps makes its rounding a truncation.
  const VI kept = hn::BitCast(di, hn::AndNot(hn::ShiftRight<24>(m), m));
  const VI exponent = hn::Add(hn::Sub(e, hn::Set(di, fraction_bits)), hn::BitCast(di, halved));
  const VF result = hn::Mul(hn::ConvertTo(F32(), kept), PowerOfTwo(exponent));  // exact, or Inf
  return hn::Or(result, hn::BitCast(F32(), hn::And(sign, hn::Set(di, INT32_MIN))));
}

template <int kColumns>
void JoinTile(const MatrixUnit& unit, const Tile& t) {
  const F32 d;
  const I32 di;
  const int f = unit.fraction_bits, n = unit.block_size();
  const int min_exponent = f - 126;  // 2^(f - e) and the last bit kept are normal
  HWY_ALIGN int16_t exponents[kColumns * kRows];
  for (int k0 = 0; k0 < t.k; k0 += n) {
    MaxExponents<kColumns>(t, k0, n, exponents);
    for (size_t row = 0; row < kRows; row += hn::Lanes(d)) {
      VF c[kColumns], scale[kColumns];
      VI e[kColumns], sum[kColumns];
      uint32_t slow[kColumns], any = 0;
      for (int j = 0; j < kColumns; ++j) {
        c[j] = hn::LoadU(d, t.sums + j * kRows + row);
        e[j] = hn::Max(LoadExponents(exponents + j * kRows + row), Exponent(c[j]));
        e[j] = hn::IfThenZeroElse(hn::Lt(e[j], hn::Set(di, kNoTerm)), e[j]);
        slow[j] = LaneBits(di, OutOfRange(e[j], min_exponent)) << row;
        any |= slow[j];
        scale[j] = PowerOfTwo(hn::Sub(hn::Set(di, f), e[j]));
      }
      HWY_ALIGN float before[kColumns * kRows];
      if (HWY_UNLIKELY(any != 0)) {
        for (int j = 0; j < kColumns; ++j) hn::StoreU(c[j], d, before + j * kRows + row);
      }
      ScaledSums<kColumns>(t, static_cast<int>(row), k0, n, scale, sum);
      for (int j = 0; j < kColumns; ++j) {
        const VI scaled_c = Truncate(hn::Mul(c[j], scale[j]));
        hn::StoreU(TruncatedFloat(sum[j], scaled_c, e[j], f), d, t.sums + j * kRows + row);
      }
      if (HWY_UNLIKELY(any != 0)) {
        for (int j = 0; j < kColumns; ++j) {
          Recompute(unit, t, j, k0, n, slow[j], before + j * kRows);
        }
      }
    }
  }
}

}  // namespace
}  // namespace samebits::units::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // SAMEBITS_MODEL_UNITS_MATRIX_UNIT_JOIN_INL_H_
