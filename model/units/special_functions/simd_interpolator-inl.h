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

/// Per lane, a.low * b.low + a.high * b.high of the 16-bit halves, added to sum (vpmaddwd: on x86,
/// where this code runs, Highway pairs neighbours).
HWY_INLINE VI MultiplyPairs(VI a, VI b, VI sum) {
  const hn::Repartition<int16_t, I32> d;
  VI unused = hn::Zero(I32());
  return hn::ReorderWidenMulAccumulate(I32(), hn::BitCast(d, a), hn::BitCast(d, b), sum, unused);
}

/// Copies the low 16 bits of each lane into the high ones.
HWY_INLINE VI TwiceLow16(VI x) {
  const hn::Repartition<uint8_t, I32> d;
  alignas(16) static constexpr uint8_t kBytes[16] = {0, 1, 0, 1, 4,  5,  4,  5,
                                                     8, 9, 8, 9, 12, 13, 12, 13};
  return hn::BitCast(I32(), hn::TableLookupBytes(hn::BitCast(d, x), hn::LoadDup128(d, kBytes)));
}

/// TruncatedSquare(x, 2 * kLowBits - 15) of x below 2^kLowBits. With h the top 8 bits of x and l
/// the 7 bits below them, the columns that exist are all of h * h but its lowest, (h*h) >> 1, and
/// of the products of h and l those of bit k of h and the top k bits of l:
///   T = (64 * h*h + sum over k = 1..7 of (h & 2^k) * (l & top k bits)) >> 7,
/// eight products of 16 bits, taken in pairs. `pair` has the operand masks of k and k + 1.
template <int kLowBits>
HWY_INLINE VI SquareLanes(VI x) {
  static_assert(kLowBits >= 15 && kLowBits <= 17);
  const auto pair = [](uint32_t first, uint32_t second) { return SetBits(first | second << 16); };
  const VI h = TwiceLow16(hn::ShiftRight<kLowBits - 8>(x));
  const VI l = TwiceLow16(hn::ShiftRight<kLowBits - 15>(x));
  const VI h_times_64 = hn::And(hn::ShiftLeft<30 - kLowBits>(x), SetBits(0xFFu << 22));
  VI sum = MultiplyPairs(hn::And(h, pair(0x80, 0xFF)),
                         hn::Or(hn::And(l, pair(0x7F, 0)), h_times_64), hn::Zero(I32()));
  sum = MultiplyPairs(hn::And(h, pair(0x20, 0x40)), hn::And(l, pair(0x7C, 0x7E)), sum);
  sum = MultiplyPairs(hn::And(h, pair(0x08, 0x10)), hn::And(l, pair(0x70, 0x78)), sum);
  sum = MultiplyPairs(hn::And(h, pair(0x02, 0x04)), hn::And(l, pair(0x40, 0x60)), sum);
  return hn::ShiftRight<7>(sum);
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
template <int kLowBits>
HWY_INLINE Wide InterpolateLanes(const Interpolator& t, VI row, VI x) {
  const QuadraticRow* rows = t.rows.data();
  const I64 d;
  // Byte offsets of the rows, which are triples of int32: one load brings c1 and, above it, c2.
  const VI offset = hn::ShiftLeft<2>(hn::Add(row, hn::Add(row, row)));
  const VI c0 = hn::GatherOffset(I32(), &rows->c0, offset);
  const VI square = hn::ShiftLeftSame(SquareLanes<kLowBits>(x), t.c2_shift);
  const VL one0 = hn::Set(d, int64_t{1} << t.c0_shift);
  const VL bias = hn::Set(d, t.bias);
  const auto sum = [&](VL offset1, VL k0, VL x1, VL x2) HWY_ATTR {
    const VL c12 = hn::GatherOffset(d, reinterpret_cast<const int64_t*>(&rows->c1), offset1);
    return hn::Add(hn::Add(Product(k0, one0), bias),
                   hn::Add(Product(c12, x1), Product(OddLanes(hn::BitCast(I32(), c12)), x2)));
  };
  const auto low = [](VI v) { return hn::BitCast(I64(), v); };
  return {sum(hn::And(low(offset), hn::Set(d, 0xFFFFFFFF)), low(c0), low(x), low(square)),
          sum(OddLanes(offset), OddLanes(c0), OddLanes(x), OddLanes(square))};
}

/// The same at a fraction whose top bits choose the row.
template <int kLowBits>
HWY_INLINE Wide InterpolateLanes(const Interpolator& t, VI fraction) {
  return InterpolateLanes<kLowBits>(t, hn::ShiftRight<kLowBits>(fraction),
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
  const auto top = hn::ShiftRight<29>(hn::BitCast(hn::RebindToUnsigned<I64>(), value));
  const VL bits = hn::Sub(hn::BitCast(I64(), top), rebias);
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
