// LATE (matrix_units.md, section 2.3) with one row per lane: products in int32, the second
// alignment in float64.
#if defined(SAMEBITS_MODEL_UNITS_MATRIX_UNIT_LATE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SAMEBITS_MODEL_UNITS_MATRIX_UNIT_LATE_INL_H_
#undef SAMEBITS_MODEL_UNITS_MATRIX_UNIT_LATE_INL_H_
#else
#define SAMEBITS_MODEL_UNITS_MATRIX_UNIT_LATE_INL_H_
#endif

#include "model/units/matrix_unit_vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace samebits::units::HWY_NAMESPACE {
namespace {

using I64 = hn::RebindToSigned<F64>;
using HalfI32 = hn::Rebind<int32_t, F64>;

/// 2^e for int32 exponents within float64's normal range.
HWY_INLINE VD WidePowerOfTwo(hn::Vec<HalfI32> e) {
  const I64 di;
  return hn::BitCast(F64(), hn::ShiftLeft<52>(hn::Add(hn::PromoteTo(di, e), hn::Set(di, 1023))));
}

/// The nearest value toward minus infinity with 53 - kDropped significant bits.
template <int kDropped>
HWY_INLINE VD FloorSignificand(VD x) {
  const I64 di;
  const auto low = hn::Set(di, (int64_t{1} << kDropped) - 1);
  const auto bits = hn::BitCast(di, x);
  // Bits of a float64 order its magnitude: a negative one is rounded away from zero.
  const auto bias = hn::And(hn::BroadcastSignBit(bits), low);
  return hn::BitCast(F64(), hn::AndNot(low, hn::Add(bits, bias)));
}

/// Lanes(F64) results. dot in units of 2^(dot_exponent - fraction_bits), e the alignment exponent.
/// Every step is exact: |dot| < 2^31, and what Floor leaves has less than 53 bits.
HWY_INLINE hn::Vec<HalfF32> AddLate(const MatrixUnit& unit, const int32_t* dot,
                                    const int32_t* dot_exponent, const float* c, const int32_t* e) {
  const F64 d;
  const HalfI32 di;
  const auto exponent = hn::Load(di, e);
  const int dot_bits = unit.dot_fraction_bits, c_bits = unit.c_fraction_bits;
  const auto dot_shift = hn::Add(hn::Sub(hn::Load(di, dot_exponent), exponent),
                                 hn::Set(di, dot_bits - unit.fraction_bits));
  const VD units =
      hn::Floor(hn::Mul(hn::PromoteTo(d, hn::Load(di, dot)), WidePowerOfTwo(dot_shift)));
  const VD wide_c = hn::PromoteTo(d, hn::Load(HalfF32(), c));
  const VD c_units =
      hn::Floor(hn::Mul(wide_c, WidePowerOfTwo(hn::Sub(hn::Set(di, c_bits), exponent))));
  const VD c_scale = hn::Set(d, static_cast<double>(int64_t{1} << (dot_bits - c_bits)));
  const VD sum = FloorSignificand<kLateDropped>(hn::Add(units, hn::Mul(c_units, c_scale)));
  const VD scale = WidePowerOfTwo(hn::Sub(exponent, hn::Set(di, dot_bits)));
  return hn::DemoteTo(HalfF32(), hn::Mul(sum, scale));  // rounds to nearest even
}

template <int kColumns>
void LateTile(const MatrixUnit& unit, const Tile& t) {
  const F32 d;
  const I32 di;
  const int f = unit.fraction_bits, n = unit.block_size();
  const VI none = hn::Set(di, kNoTerm);
  HWY_ALIGN int16_t exponents[kColumns * kRows];
  HWY_ALIGN float c[kRows];
  HWY_ALIGN int32_t dot[kColumns][kRows], dot_exponent[kRows], exponent[kRows];
  for (int k0 = 0; k0 < t.k; k0 += n) {
    MaxExponents<kColumns>(t, k0, n, exponents);
    for (size_t row = 0; row < kRows; row += hn::Lanes(d)) {
      VF scale[kColumns];
      VI sum[kColumns];
      for (int j = 0; j < kColumns; ++j) {
        const VI e = LoadExponents(exponents + j * kRows + row);
        scale[j] = PowerOfTwo(hn::Sub(hn::Set(di, f), e));
        // Zero products times any scale must stay zero.
        scale[j] = hn::IfThenZeroElse(hn::RebindMask(d, hn::Lt(e, none)), scale[j]);
      }
      ScaledSums<kColumns>(t, static_cast<int>(row), k0, n, scale, sum);
      for (int j = 0; j < kColumns; ++j) hn::Store(sum[j], di, dot[j] + row);
    }
    for (int j = 0; j < kColumns; ++j) {
      float* sums = t.sums + j * kRows;
      uint32_t slow = 0;
      for (size_t row = 0; row < kRows; row += hn::Lanes(d)) {
        const VF before = hn::LoadU(d, sums + row);
        hn::Store(before, d, c + row);
        const VI of_c = Exponent(before), of_dot = LoadExponents(exponents + j * kRows + row);
        const auto zero_c = hn::Lt(of_c, none), zero_dot = hn::Lt(of_dot, none);
        VI e = hn::Max(hn::IfThenElse(zero_c, hn::Set(di, unit.zero_c_exponent), of_c), of_dot);
        e = hn::IfThenZeroElse(hn::And(zero_c, zero_dot), e);
        const VI dot_e = hn::IfThenElse(zero_dot, e, of_dot);
        hn::Store(e, di, exponent + row);
        hn::Store(dot_e, di, dot_exponent + row);
        const auto out = hn::Or(OutOfRange(e, kLateMinExponent), OutOfRange(dot_e, f - 126));
        slow |= LaneBits(di, out) << row;
      }
      for (size_t row = 0; row < kRows; row += hn::Lanes(F64())) {
        hn::StoreU(AddLate(unit, dot[j] + row, dot_exponent + row, c + row, exponent + row),
                   HalfF32(), sums + row);
      }
      Recompute(unit, t, j, k0, n, slow, c);
    }
  }
}

}  // namespace
}  // namespace samebits::units::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // SAMEBITS_MODEL_UNITS_MATRIX_UNIT_LATE_INL_H_
