// The PTX instructions on vectors; the plain twin is instructions.cc.
#include "model/units/special_functions/simd.h"

#include "model/simd_support.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/units/special_functions/simd.cc"
#include <hwy/foreach_target.h>
// After foreach_target.h.
#include <hwy/highway.h>

#include "model/units/special_functions/simd_functions-inl.h"

HWY_BEFORE_NAMESPACE();
namespace samebits::units::HWY_NAMESPACE {
namespace {

using Tables = SpecialFunctionTables;
using MF = hn::Mask<F32>;

HWY_INLINE VI Bits(VF x) { return hn::BitCast(I32(), x); }
HWY_INLINE VF Value(VI bits) { return hn::BitCast(F32(), bits); }
HWY_INLINE VF SetF(float value) { return hn::Set(F32(), value); }
HWY_INLINE VF Canonical(VF x) {
  return hn::IfThenElse(hn::IsNaN(x), Value(SetBits(arith::kNanBits)), x);
}
HWY_INLINE VF Flush(VF x) {
  const VI bits = Bits(x);
  return Value(hn::IfThenElse(IsSubnormalOrZero(Magnitude(bits)), Sign(bits), bits));
}
HWY_INLINE MF IsTiny(VF x) { return hn::Lt(hn::Abs(x), SetF(0x1p-126f)); }
HWY_INLINE MF IsHuge(VF x) { return hn::Gt(hn::Abs(x), SetF(0x1p126f)); }
HWY_INLINE VF ScaleOf(VF x) {
  return hn::IfThenElse(IsHuge(x), SetF(0.25f),
                        hn::IfThenElse(IsTiny(x), SetF(0x1p24f), SetF(1.0f)));
}
/// x where not tiny, else x * 2^24.
HWY_INLINE VF ScaleTiny(VF x, MF tiny) {
  return hn::IfThenElse(tiny, hn::Mul(x, SetF(0x1p24f)), x);
}

HWY_INLINE VF Ex2Approx(const Tables& tables, VF x) {
  const MF small = hn::Lt(x, SetF(-126.0f));
  const VF halved = hn::IfThenElse(small, hn::Mul(x, SetF(0.5f)), x);
  const VF root = Value(Ex2Lanes(tables, Bits(halved)));
  return hn::IfThenElse(small, hn::Mul(root, root), root);
}

HWY_INLINE VF RcpApprox(const Tables& tables, VF x) {
  const VF scale = ScaleOf(x);
  return Canonical(hn::Mul(Value(RcpLanes(tables, Bits(hn::Mul(x, scale)))), scale));
}

HWY_INLINE VF RsqrtApprox(const Tables& tables, VF x) {
  const MF tiny = IsTiny(x);
  const VF y = Value(RsqLanes(tables, Bits(ScaleTiny(x, tiny))));
  return hn::IfThenElse(tiny, Canonical(hn::Mul(y, SetF(0x1p12f))), y);
}

HWY_INLINE VF SqrtApprox(const Tables& tables, VF x) {
  const MF tiny = IsTiny(x);
  const VF y = Value(SqrtLanes(tables, Bits(ScaleTiny(x, tiny))));
  return hn::IfThenElse(tiny, Canonical(hn::Mul(y, SetF(0x1p-12f))), y);
}

HWY_INLINE VF Lg2Approx(const Tables& tables, VF x) {
  const MF tiny = IsTiny(x);
  const VF y = Value(Lg2Lanes(tables, Bits(ScaleTiny(x, tiny))));
  return hn::IfThenElse(tiny, Canonical(hn::Sub(y, SetF(24.0f))), y);
}

/// FMUL.RZ by 1/(2 pi). The error term is exact for all products of at least 2^-100; below, SIN and
/// COS use the sign alone.
HWY_INLINE VI ToTurns(VF x) {
  const VF turns_per_radian = SetF(0x1.45f306p-3f);
  const VF nearest = hn::Mul(x, turns_per_radian);
  const VF error = hn::MulSub(x, turns_per_radian, nearest);
  const VF zero = hn::Zero(F32());
  const MF above = hn::Or(hn::And(hn::Gt(nearest, zero), hn::Lt(error, zero)),
                          hn::And(hn::Lt(nearest, zero), hn::Gt(error, zero)));
  return hn::Add(Bits(nearest), hn::BitCast(I32(), hn::VecFromMask(F32(), above)));
}

HWY_INLINE VF DivFullLanes(const Tables& tables, VF a, VF b) {
  const VF scale = ScaleOf(b);
  const VF inverse = Value(RcpLanes(tables, Bits(hn::Mul(b, scale))));
  return Canonical(hn::Mul(hn::Mul(a, scale), inverse));
}

HWY_INLINE VF DivFullFtzLanes(const Tables& tables, VF a, VF b) {
  const VF scale = hn::IfThenElse(IsHuge(b), SetF(0.25f), SetF(1.0f));
  const VF scaled_a = Flush(hn::Mul(Flush(a), scale));
  const VF scaled_b = Flush(hn::Mul(Flush(b), scale));
  const VF inverse = Value(RcpLanes(tables, Bits(scaled_b)));
  return Flush(Canonical(hn::Mul(scaled_a, inverse)));
}

/// y[i] = function(x[i]...) for arrays of any length: the last lanes are filled up with zeros.
template <class Function, class... Arrays>
HWY_INLINE void ForEach(const Function& function, float* y, size_t n, Arrays... x) {
  const F32 d;
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(function(hn::LoadU(d, x + i)...), d, y + i);
  if (i == n) return;
  const auto load_rest = [&](const float* from) {
    HWY_ALIGN float buffer[hn::MaxLanes(d)] = {};
    for (size_t k = i; k < n; ++k) buffer[k - i] = from[k];
    return hn::Load(d, buffer);
  };
  HWY_ALIGN float rest[hn::MaxLanes(d)];
  hn::Store(function(load_rest(x)...), d, rest);
  for (size_t k = i; k < n; ++k) y[k] = rest[k - i];
}

template <VI (*kFunction)(const Tables&, VI)>
void Bare(const Tables& t, const float* x, float* y, size_t n) {
  ForEach([&](VF v) HWY_ATTR { return Value(kFunction(t, Bits(v))); }, y, n, x);
}

template <VF (*kFunction)(const Tables&, VF)>
void Scaled(const Tables& t, const float* x, float* y, size_t n) {
  ForEach([&](VF v) HWY_ATTR { return kFunction(t, v); }, y, n, x);
}

template <VI (*kFunction)(const Tables&, VI)>
void Radians(const Tables& t, const float* x, float* y, size_t n) {
  ForEach([&](VF v) HWY_ATTR { return Value(kFunction(t, ToTurns(v))); }, y, n, x);
}

void EvaluateLanes(const Tables& t, Instruction instruction, const float* x, float* y, size_t n) {
  switch (instruction) {
    case Instruction::kEx2ApproxFtzF32:
      return Bare<Ex2Lanes>(t, x, y, n);
    case Instruction::kEx2ApproxF32:
      return Scaled<Ex2Approx>(t, x, y, n);
    case Instruction::kRcpApproxFtzF32:
      return Bare<RcpLanes>(t, x, y, n);
    case Instruction::kRcpApproxF32:
      return Scaled<RcpApprox>(t, x, y, n);
    case Instruction::kRsqrtApproxFtzF32:
      return Bare<RsqLanes>(t, x, y, n);
    case Instruction::kRsqrtApproxF32:
      return Scaled<RsqrtApprox>(t, x, y, n);
    case Instruction::kSqrtApproxFtzF32:
      return Bare<SqrtLanes>(t, x, y, n);
    case Instruction::kSqrtApproxF32:
      return Scaled<SqrtApprox>(t, x, y, n);
    case Instruction::kLg2ApproxFtzF32:
      return Bare<Lg2Lanes>(t, x, y, n);
    case Instruction::kLg2ApproxF32:
      return Scaled<Lg2Approx>(t, x, y, n);
    case Instruction::kTanhApproxF32:
      return Bare<TanhLanes>(t, x, y, n);
    case Instruction::kSinApproxFtzF32:
    case Instruction::kSinApproxF32:
      return Radians<SinLanes>(t, x, y, n);
    case Instruction::kCosApproxFtzF32:
    case Instruction::kCosApproxF32:
      return Radians<CosLanes>(t, x, y, n);
    case Instruction::kMufuSin:
      return Bare<SinLanes>(t, x, y, n);
    case Instruction::kMufuCos:
      return Bare<CosLanes>(t, x, y, n);
  }
}

void DivFullAll(const Tables& t, const float* a, const float* b, float* y, size_t n) {
  ForEach([&](VF u, VF v) HWY_ATTR { return DivFullLanes(t, u, v); }, y, n, a, b);
}

void DivFullFtzAll(const Tables& t, const float* a, const float* b, float* y, size_t n) {
  ForEach([&](VF u, VF v) HWY_ATTR { return DivFullFtzLanes(t, u, v); }, y, n, a, b);
}

const char* CompiledTarget() { return hwy::TargetName(HWY_TARGET); }

}  // namespace
}  // namespace samebits::units::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace samebits::units {

HWY_EXPORT(EvaluateLanes);
HWY_EXPORT(DivFullAll);
HWY_EXPORT(DivFullFtzAll);
HWY_EXPORT(CompiledTarget);

bool SimdApplies(const SpecialFunctionTables& t) {
  if (t.method != SpecialFunctionMethod::kInterpolated || !SimdSupported()) return false;
  const auto is = [](const Interpolator& table, int low_bits, int first_column) {
    return table.low_bits == low_bits && table.square_first_column == first_column;
  };
  return is(t.rcp, 16, 17) && is(t.ex2, 17, 19) && is(t.rsq, 17, 19) && is(t.sqrt, 17, 19) &&
         is(t.lg2, 17, 19) && is(t.tanh, 17, 19) && is(t.sin, 17, 19);
}

void EvaluateArraySimd(const SpecialFunctionTables& tables, Instruction instruction, const float* x,
                       float* y, size_t n) {
  HWY_DYNAMIC_DISPATCH(EvaluateLanes)(tables, instruction, x, y, n);
}

void DivFullArraySimd(const SpecialFunctionTables& tables, const float* a, const float* b, float* y,
                      size_t n) {
  HWY_DYNAMIC_DISPATCH(DivFullAll)(tables, a, b, y, n);
}

void DivFullFtzArraySimd(const SpecialFunctionTables& tables, const float* a, const float* b,
                         float* y, size_t n) {
  HWY_DYNAMIC_DISPATCH(DivFullFtzAll)(tables, a, b, y, n);
}

const char* SimdTargetInUse() { return HWY_DYNAMIC_DISPATCH(CompiledTarget)(); }

}  // namespace samebits::units
#endif  // HWY_ONCE
