// The unit's functions on vectors of bit patterns; the plain twins are ex2.cc, rcp.cc and so on.
#include "model/units/special_functions/simd_interpolator-inl.h"

#if defined(SAMEBITS_MODEL_UNITS_SPECIAL_FUNCTIONS_SIMD_FUNCTIONS_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SAMEBITS_MODEL_UNITS_SPECIAL_FUNCTIONS_SIMD_FUNCTIONS_INL_H_
#undef SAMEBITS_MODEL_UNITS_SPECIAL_FUNCTIONS_SIMD_FUNCTIONS_INL_H_
#else
#define SAMEBITS_MODEL_UNITS_SPECIAL_FUNCTIONS_SIMD_FUNCTIONS_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace samebits::units::HWY_NAMESPACE {
namespace {

constexpr int32_t kFraction = 0x7FFFFF;
constexpr int32_t kInfinity = 0x7F800000;
constexpr int32_t kSmallestNormal = 0x00800000;
constexpr int32_t kOneBits = 0x3F800000;

HWY_INLINE VI Magnitude(VI bits) { return hn::And(bits, SetI(0x7FFFFFFF)); }
HWY_INLINE VI Sign(VI bits) { return hn::And(bits, SetBits(0x80000000u)); }
HWY_INLINE MI IsNan(VI magnitude) { return hn::Gt(magnitude, SetI(kInfinity)); }
HWY_INLINE MI IsSubnormalOrZero(VI magnitude) { return hn::Lt(magnitude, SetI(kSmallestNormal)); }
HWY_INLINE VI NanWhere(MI mask, VI otherwise) {
  return hn::IfThenElse(mask, SetBits(arith::kNanBits), otherwise);
}

/// bits of a float in [1/2, 2] times 2^exponent; below 2^-126: zero. |exponent| <= 128, and the
/// product must be at most 2^128.
HWY_INLINE VI ScaleAndFlush(VI bits, VI exponent) {
  const VI scaled = hn::Add(bits, hn::ShiftLeft<23>(exponent));
  return hn::IfThenZeroElse(hn::Lt(scaled, SetI(kSmallestNormal)), scaled);
}

HWY_INLINE VI Ex2Lanes(const SpecialFunctionTables& tables, VI bits) {
  const VI magnitude = Magnitude(bits);
  const VI negative = hn::BroadcastSignBit(bits);
  // From 128 on all results are those of 128: infinity or zero.
  const VI clamped = hn::Min(magnitude, SetI(0x43000000));
  const VI fixed =
      hn::ConvertTo(I32(), hn::Mul(hn::BitCast(F32(), clamped), hn::Set(F32(), 0x1p23f)));
  // One's complement of negative arguments, two's where the fraction is zero.
  const MI whole = hn::Eq(hn::And(fixed, SetI(kFraction)), hn::Zero(I32()));
  const VI argument = hn::Sub(hn::Xor(fixed, negative), hn::IfThenElseZero(whole, negative));
  const VI fraction = hn::And(argument, SetI(kFraction));
  const VI root =
      TruncatedBits(InterpolateLanes<17>(tables.ex2, fraction), tables.ex2.fraction_bits);
  const VI result =
      ScaleAndFlush(hn::IfThenElse(whole, SetI(kOneBits), root), hn::ShiftRight<23>(argument));
  return NanWhere(IsNan(magnitude), result);
}

HWY_INLINE VI RcpLanes(const SpecialFunctionTables& tables, VI bits) {
  const VI magnitude = Magnitude(bits);
  const VI fraction = hn::And(bits, SetI(kFraction));
  const VI exponent = hn::Sub(SetI(127), hn::ShiftRight<23>(magnitude));
  const VI inverse =
      TruncatedBits(InterpolateLanes<16>(tables.rcp, fraction), tables.rcp.fraction_bits);
  const MI exact = hn::Eq(fraction, hn::Zero(I32()));
  // Infinity falls out as 2^-128, flushed.
  VI result = ScaleAndFlush(hn::IfThenElse(exact, SetI(kOneBits), inverse), exponent);
  result = hn::IfThenElse(IsSubnormalOrZero(magnitude), SetI(kInfinity), result);
  return NanWhere(IsNan(magnitude), hn::Or(result, Sign(bits)));
}

/// The exponent as 2 * half + odd, and the argument of the tables of RSQ and SQRT.
struct Root {
  VI half, argument;
};

HWY_INLINE Root SplitExponent(VI magnitude) {
  const VI exponent = hn::Sub(hn::ShiftRight<23>(magnitude), SetI(127));
  const VI odd = hn::And(exponent, SetI(1));
  return {hn::ShiftRight<1>(exponent),
          hn::Or(hn::ShiftLeft<23>(odd), hn::And(magnitude, SetI(kFraction)))};
}

HWY_INLINE VI RsqLanes(const SpecialFunctionTables& tables, VI bits) {
  const VI zero = hn::Zero(I32());
  const VI magnitude = Magnitude(bits);
  const Root root = SplitExponent(magnitude);
  const VI inverse =
      TruncatedBits(InterpolateLanes<17>(tables.rsq, root.argument), tables.rsq.fraction_bits);
  const MI exact = hn::Eq(root.argument, zero);
  VI result =
      ScaleAndFlush(hn::IfThenElse(exact, SetI(kOneBits), inverse), hn::Sub(zero, root.half));
  result = hn::IfThenZeroElse(hn::Eq(magnitude, SetI(kInfinity)), result);
  result = NanWhere(hn::Lt(bits, zero), result);
  result =
      hn::IfThenElse(IsSubnormalOrZero(magnitude), hn::Or(SetI(kInfinity), Sign(bits)), result);
  return NanWhere(IsNan(magnitude), result);
}

HWY_INLINE VI SqrtLanes(const SpecialFunctionTables& tables, VI bits) {
  const VI zero = hn::Zero(I32());
  const VI magnitude = Magnitude(bits);
  const Root root = SplitExponent(magnitude);
  const VI value =
      TruncatedBits(InterpolateLanes<17>(tables.sqrt, root.argument), tables.sqrt.fraction_bits);
  const MI exact = hn::Eq(root.argument, zero);
  VI result = ScaleAndFlush(hn::IfThenElse(exact, SetI(kOneBits), value), root.half);
  const VI infinity = SetI(kInfinity);
  result = hn::IfThenElse(hn::Eq(magnitude, infinity), infinity, result);
  result = NanWhere(hn::Lt(bits, zero), result);
  result = hn::IfThenElse(IsSubnormalOrZero(magnitude), Sign(bits), result);
  return NanWhere(IsNan(magnitude), result);
}

/// Magnitude (one's complement if negative) and sign of exponent * 2^fraction_bits + (v >> 2).
struct Signed {
  VL magnitude, sign;
};

HWY_INLINE Signed AddExponent(VL exponent, VL v, int fraction_bits) {
  const VL scaled = Product(exponent, hn::Set(I64(), 1 << 16));
  const VL sum = hn::Add(hn::ShiftLeftSame(scaled, fraction_bits - 16), hn::ShiftRight<2>(v));
  const VL sign = hn::BroadcastSignBit(sum);
  return {hn::Xor(sum, sign), sign};
}

HWY_INLINE VI Lg2Lanes(const SpecialFunctionTables& tables, VI bits) {
  const VI zero = hn::Zero(I32());
  const VI magnitude = Magnitude(bits);
  const VI exponent = hn::Sub(hn::ShiftRight<23>(magnitude), SetI(127));
  const Wide v = InterpolateLanes<17>(tables.lg2, hn::And(bits, SetI(kFraction)));
  const int fraction_bits = tables.lg2.fraction_bits - 2;
  const Signed even = AddExponent(hn::BitCast(I64(), exponent), v.even, fraction_bits);
  const Signed odd = AddExponent(OddLanes(exponent), v.odd, fraction_bits);
  VI result = TruncatedBits<true>({even.magnitude, odd.magnitude}, fraction_bits);
  result = hn::Or(result, Sign(Narrow({even.sign, odd.sign})));
  result = hn::IfThenZeroElse(hn::Eq(bits, SetI(kOneBits)), result);
  const VI infinity = SetI(kInfinity);
  result = hn::IfThenElse(hn::Eq(magnitude, infinity), infinity, result);
  result = NanWhere(hn::Lt(bits, zero), result);
  result = hn::IfThenElse(IsSubnormalOrZero(magnitude), SetBits(0xFF800000u), result);
  return NanWhere(IsNan(magnitude), result);
}

HWY_INLINE VI TanhLanes(const SpecialFunctionTables& tables, VI bits) {
  using Tables = SpecialFunctionTables;
  const I32 d;
  const VI magnitude = Magnitude(bits);
  const VI binade = hn::Sub(hn::ShiftRight<23>(magnitude), SetI(127 + Tables::kTanhMinExponent));
  const VI last = SetI(Tables::kTanhMaxExponent - Tables::kTanhMinExponent);
  const VI index = hn::Min(hn::Max(binade, hn::Zero(d)), last);
  HWY_ALIGN int32_t shifts[16] = {};
  HWY_ALIGN int32_t first_rows[16] = {};
  for (size_t i = 0; i < tables.tanh_binades.size(); ++i) {
    shifts[i] = 23 - 17 - tables.tanh_binades[i].index_bits;
    first_rows[i] = tables.tanh_binades[i].first_row;
  }
  const VI shift = hn::GatherIndex(d, shifts, index);
  const VI position = hn::Shr(hn::And(bits, SetI(kFraction)), shift);
  const VI row = hn::Add(hn::GatherIndex(d, first_rows, index), hn::ShiftRight<17>(position));
  const VI value =
      TruncatedBits(InterpolateLanes<17>(tables.tanh, row, hn::And(position, SetI((1 << 17) - 1))),
                    tables.tanh.fraction_bits);
  VI result = hn::IfThenElse(hn::Gt(binade, last), SetI(kOneBits), value);
  result = hn::Or(result, Sign(bits));
  result = hn::IfThenElse(hn::Lt(binade, hn::Zero(d)), bits, result);
  return NanWhere(IsNan(magnitude), result);
}

/// |turns| truncated to 25 fraction bits, modulo one turn: its quarter and the place in it.
struct Turn {
  VI quarter, fraction;
};

HWY_INLINE Turn SplitTurn(VI magnitude) {
  const VF turns = hn::BitCast(F32(), magnitude);
  const VF rest = hn::Mul(hn::Sub(turns, hn::Trunc(turns)), hn::Set(F32(), 0x1p25f));  // exact
  const VI fixed = hn::ConvertTo(I32(), rest);
  return {hn::ShiftRight<23>(fixed), hn::And(fixed, SetI(kFraction))};
}

/// Sine of a quarter's position, or of its reflection where `reflect` (all bits or none).
HWY_INLINE VI QuarterSine(const SpecialFunctionTables& tables, VI fraction, VI reflect) {
  const VI place = hn::Xor(fraction, hn::And(reflect, SetI(kFraction)));
  return TruncatedBits<true>(InterpolateLanes<17>(tables.sin, place), tables.sin.fraction_bits);
}

HWY_INLINE VI SinLanes(const SpecialFunctionTables& tables, VI bits) {
  const VI magnitude = Magnitude(bits);
  const Turn turn = SplitTurn(magnitude);
  const VI odd = hn::BroadcastSignBit(hn::ShiftLeft<31>(turn.quarter));
  const VI value = QuarterSine(tables, turn.fraction, odd);
  const VI sign = Sign(hn::Xor(bits, hn::ShiftLeft<30>(turn.quarter)));  // quarters 2 and 3
  return NanWhere(hn::Gt(magnitude, SetI(kInfinity - 1)), hn::Or(value, sign));
}

HWY_INLINE VI CosLanes(const SpecialFunctionTables& tables, VI bits) {
  const VI magnitude = Magnitude(bits);
  const Turn turn = SplitTurn(magnitude);
  const VI even = hn::Not(hn::BroadcastSignBit(hn::ShiftLeft<31>(turn.quarter)));
  const VI value = QuarterSine(tables, turn.fraction, even);
  const VI sign = Sign(hn::ShiftLeft<30>(hn::Add(turn.quarter, SetI(1))));  // quarters 1 and 2
  return NanWhere(hn::Gt(magnitude, SetI(kInfinity - 1)), hn::Or(value, sign));
}

}  // namespace
}  // namespace samebits::units::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // SAMEBITS_MODEL_UNITS_SPECIAL_FUNCTIONS_SIMD_FUNCTIONS_INL_H_
