// The interpolator on vectors; the plain twin is interpolator.h.
#include "model/units/special_functions.h"

#if defined(SAMEBITS_MODEL_UNITS_SPECIAL_FUNCTIONS_SIMD_INTERPOLATOR_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SAMEBITS_MODEL_UNITS_SPECIAL_FUNCTIONS_SIMD_INTERPOLATOR_INL_H_
#undef SAMEBITS_MODEL_UNITS_SPECIAL_FUNCTIONS_SIMD_INTERPOLATOR_INL_H_
#else
#define SAMEBITS_MODEL_UNITS_SPECIAL_FUNCTIONS_SIMD_INTERPOLATOR_INL_H_
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace samebits::units::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using F32 = hn::ScalableTag<float>;
using I32 = hn::RebindToSigned<F32>;
using U32 = hn::RebindToUnsigned<F32>;
using I64 = hn::Repartition<int64_t, I32>;
using F64 = hn::Repartition<double, I32>;
using VF = hn::Vec<F32>;
using VI = hn::Vec<I32>;
using VL = hn::Vec<I64>;
using MI = hn::Mask<I32>;

HWY_INLINE VI SetI(int32_t value) { return hn::Set(I32(), value); }
HWY_INLINE VI SetBits(uint32_t value) { return hn::Set(I32(), static_cast<int32_t>(value)); }

/// All bits where bit j of x is set.
HWY_INLINE MI HasBit(VI x, int j) { return hn::TestBit(x, SetBits(1u << j)); }

/// TruncatedSquare(x, kFirstColumn) of x below 2^kLowBits: row j of the partial products is x_j
/// times the bits i < j with i + j + 1 >= kFirstColumn, and the square of x_j itself.
template <int kLowBits, int kFirstColumn, int kBit = kFirstColumn / 2 + 1>
HWY_INLINE VI SquareRows(VI x, VI sum) {
  static_assert(kFirstColumn % 2 == 1 && kFirstColumn >= kLowBits && 2 * kLowBits < 32 + 4);
  if constexpr (kBit >= kLowBits) {
    return sum;
  } else {
    constexpr int kFirst = kFirstColumn - kBit - 1;  // the lowest i
    const VI below = hn::And(hn::ShiftRight<kFirst>(x), SetI((1 << (kBit - kFirst)) - 1));
    const VI row = hn::Add(below, SetI(1 << (2 * kBit - kFirstColumn)));
    return SquareRows<kLowBits, kFirstColumn, kBit + 1>(
        x, hn::Add(sum, hn::IfThenElseZero(HasBit(x, kBit), row)));
  }
}

/// 32-bit lanes as two vectors of 64-bit lanes.
struct Wide {
  VL even, odd;
};

HWY_INLINE VL OddLanes(VI v) {
  return hn::BitCast(I64(), hn::ShiftRight<32>(hn::BitCast(hn::RebindToUnsigned<I64>(), v)));
}

HWY_INLINE VL Product(VL a, VL b) {  // of the low halves, signed
  return hn::MulEven(hn::BitCast(I32(), a), hn::BitCast(I32(), b));
}

/// Joins the low halves.
HWY_INLINE VI Narrow(Wide v) {
  return hn::OddEven(hn::BitCast(I32(), hn::ShiftLeft<32>(v.odd)), hn::BitCast(I32(), v.even));
}

/// V of segment `row` at x, per lane.
template <int kLowBits, int kFirstColumn>
HWY_INLINE Wide InterpolateLanes(const Interpolator& t, VI row, VI x) {
  const int32_t* base = &t.rows.data()->c0;  // rows are triples of int32
  const I32 d;
  const VI index = hn::Add(row, hn::Add(row, row));
  const VI c0 = hn::GatherIndex(d, base, index);
  const VI c1 = hn::GatherIndex(d, base + 1, index);
  const VI c2 = hn::GatherIndex(d, base + 2, index);
  const VI square =
      hn::ShiftLeftSame(SquareRows<kLowBits, kFirstColumn>(x, hn::Zero(d)), t.c2_shift);
  const VL one0 = hn::Set(I64(), int64_t{1} << t.c0_shift);
  const VL bias = hn::Set(I64(), t.bias);
  const auto sum = [&](VL k0, VL k1, VL k2, VL x1, VL x2) {
    return hn::Add(hn::Add(Product(k0, one0), bias), hn::Add(Product(k1, x1), Product(k2, x2)));
  };
  const auto low = [](VI v) { return hn::BitCast(I64(), v); };
  return {sum(low(c0), low(c1), low(c2), low(x), low(square)),
          sum(OddLanes(c0), OddLanes(c1), OddLanes(c2), OddLanes(x), OddLanes(square))};
}

/// The same at a fraction whose top bits choose the row.
template <int kLowBits, int kFirstColumn>
HWY_INLINE Wide InterpolateLanes(const Interpolator& t, VI fraction) {
  return InterpolateLanes<kLowBits, kFirstColumn>(t, hn::ShiftRight<kLowBits>(fraction),
                                                  hn::And(fraction, SetI((1 << kLowBits) - 1)));
}

/// v * 2^-fraction_bits, 0 <= v < 2^52, as the bits of a float32 truncated toward zero: the double
/// that equals v has the exponent and the fraction. Zero gives 0 if kMayBeZero.
template <bool kMayBeZero>
HWY_INLINE VL TruncatedBits(VL v, int fraction_bits) {
  const F64 d;
  const VL magic = hn::Set(I64(), 0x4330000000000000);  // 2^52
  const auto value = hn::Sub(hn::BitCast(d, hn::Or(v, magic)), hn::BitCast(d, magic));
  const VL rebias = hn::Set(I64(), int64_t{1023 - 127 + fraction_bits} << 23);
  const VL bits = hn::Sub(hn::ShiftRight<29>(hn::BitCast(I64(), value)), rebias);
  if constexpr (!kMayBeZero) return bits;
  return hn::IfThenZeroElse(hn::Eq(v, hn::Zero(I64())), bits);
}

template <bool kMayBeZero = false>
HWY_INLINE VI TruncatedBits(Wide v, int fraction_bits) {
  return Narrow({TruncatedBits<kMayBeZero>(v.even, fraction_bits),
                 TruncatedBits<kMayBeZero>(v.odd, fraction_bits)});
}

}  // namespace
}  // namespace samebits::units::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // SAMEBITS_MODEL_UNITS_SPECIAL_FUNCTIONS_SIMD_INTERPOLATOR_INL_H_
