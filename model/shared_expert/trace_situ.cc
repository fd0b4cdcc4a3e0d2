#include "model/shared_expert/trace_situ.h"

#include <algorithm>
#include <cmath>

namespace samebits::shared_expert {
namespace {

using arith::FromBits;
using arith::ToBits;
using units::Instruction;

}  // namespace

int TraceSitu::DivFull(int a, int b) {
  return b_.Operation(math_.flushes() ? "div.full.ftz.f32" : "div.full.f32", {a, b},
                      math_.DivFull(b_.value(a), b_.value(b)));
}

int TraceSitu::Tanh(int a) {
  const uint32_t small = 0x3F19999Au, one = 0x41102CB4u, inf = 0x7F800000u;
  const uint32_t t = ToBits(b_.value(a)) & 0x7FFFFFFFu;
  const int magnitude = b_.Operation("abs", {a}, std::fabs(b_.value(a)));
  const int power = Unit(Instruction::kEx2ApproxFtzF32,
                         b_.Mul(magnitude, Constant(FromBits(0x4038AA3Bu), "2*log2(e)")));
  const int r = Unit(Instruction::kRcpApproxFtzF32, b_.Add(power, Constant(1.0f, "1")));
  const int v =
      b_.Select(t >= one, Constant(1.0f, "1"),
                b_.Fma(r, Constant(-2.0f, "-2"), Constant(1.0f, "1")), "|x| from 9.01 on");
  const int large = b_.Operation("copysign", {v, a}, std::copysign(b_.value(v), b_.value(a)));
  const int s = b_.Mul(a, a);
  int p = b_.Fma(Constant(FromBits(0x3C80F082u), "p4"), s, Constant(FromBits(0xBD563CAEu), "p3"));
  p = b_.Fma(p, s, Constant(FromBits(0x3E085941u), "p2"));
  p = b_.Fma(p, s, Constant(FromBits(0xBEAAA9EDu), "p1"));
  p = b_.Fma(p, s, Constant(0.0f, "+0"));
  return b_.Select(t >= small && t <= inf, large, b_.Fma(p, a, a), "|x| from 0.6 on");
}

int TraceSitu::ExpNegative(int x) {
  const int a = b_.Negate(x);
  const int v = b_.Fma(a, Constant(FromBits(0x3BBB989Du), "log2(e)/252"), Constant(0.5f, "0.5"));
  const float raw = b_.value(v);
  const int saturated =
      b_.Operation("sat", {v}, arith::IsNan(raw) ? 0.0f : std::clamp(raw, 0.0f, 1.0f));
  const int m = b_.Label(b_.Operation("fma.rm", {saturated}, RoundDown252(b_.value(saturated))),
                         "252*v + 0x4B400001, rounded down");
  const int j = b_.Add(m, Constant(FromBits(0xCB40007Fu), "-(2^23 + 2^22 + 127)"));
  const int f = b_.Fma(a, Constant(FromBits(0x3FB8AA3Bu), "log2(e)"), b_.Negate(j));
  const int fraction = b_.Fma(a, Constant(FromBits(0x32A57060u), "log2(e), rest"), f);
  const int power = Unit(Instruction::kEx2ApproxFtzF32, fraction);
  const int scale = b_.Operation("shl 23", {m}, FromBits(b_.bits(m) << 23));
  return b_.Mul(power, scale);
}

int TraceSitu::Ex2Negative(int x) {
  return Unit(Instruction::kEx2ApproxFtzF32,
              b_.Mul(b_.Negate(x), Constant(FromBits(0x3FB8AA3Bu), "log2(e)")));
}

int TraceSitu::CappedTanh(int x, int cap) {
  int quotient;
  switch (form_) {
    case SituForm::kTorch:
      quotient = b_.DivFlushing(x, cap);
      break;
    case SituForm::kTriton:
      quotient = DivFull(x, cap);
      break;
    default:
      quotient = b_.Mul(x, b_.DivFlushing(Constant(1.0f, "1"), cap));
  }
  return form_ == SituForm::kApprox ? Unit(Instruction::kTanhApproxF32, quotient) : Tanh(quotient);
}

int TraceSitu::OnePlusExp(int g) {
  const bool approx = form_ == SituForm::kApprox || form_ == SituForm::kTriton;
  return b_.Add(Constant(1.0f, "1"), approx ? Ex2Negative(g) : ExpNegative(g));
}

int TraceSitu::TimesSigmoid(int capped, int denominator) {
  switch (form_) {
    case SituForm::kStock:
      return b_.DivFlushing(capped, denominator);
    case SituForm::kApprox:
      return DivFull(capped, denominator);
    case SituForm::kTriton:
      return b_.Mul(capped, DivFull(Constant(1.0f, "1"), denominator));
    default:
      return b_.Mul(capped, b_.DivFlushing(Constant(1.0f, "1"), denominator));
  }
}

int TraceSitu::Gate(int g) {
  const int denominator = OnePlusExp(g);
  const int beta = Constant(betas_.beta, "beta");
  const int a = TimesSigmoid(b_.Mul(beta, CappedTanh(g, beta)), denominator);
  if (form_ != SituForm::kThreeProducts || !(betas_.linear > 0.0f)) return a;
  return b_.Mul(a, Constant(betas_.linear, "linear_beta"));
}

int TraceSitu::Up(int u) {
  if (!(betas_.linear > 0.0f)) return u;
  const int cap = Constant(betas_.linear, "linear_beta");
  const int capped = CappedTanh(u, cap);
  return form_ == SituForm::kThreeProducts ? capped : b_.Mul(cap, capped);
}

}  // namespace samebits::shared_expert
