#include "model/shared_expert/situ.h"

#include <algorithm>
#include <vector>

namespace samebits::shared_expert {
namespace {

/// Arguments of the tanh: x divided by its cap, as the form divides.
void Divide(const Math& math, SituForm form, float cap, In x, Out out) {
  const float inverse = math.Div(1.0f, cap);
  for (size_t i = 0; i < x.size(); ++i) {
    switch (form) {
      case SituForm::kTorch:
        out[i] = math.Div(x[i], cap);
        break;
      case SituForm::kTriton:
        out[i] = math.DivFull(x[i], cap);
        break;
      default:
        out[i] = math.Mul(x[i], inverse);
    }
  }
}

void CappedTanh(const Math& math, SituForm form, float cap, In x, Out out) {
  Divide(math, form, cap, x, out);
  if (form == SituForm::kApprox) {
    math.TanhApprox(out, out);
  } else {
    math.Tanh(out, out);
  }
}

/// 1 + exp(-g).
void OnePlusExp(const Math& math, SituForm form, In g, Out out) {
  if (form == SituForm::kApprox || form == SituForm::kTriton) {
    math.Ex2Negative(g, out);
  } else {
    math.ExpNegative(g, out);
  }
  for (float& e : out) e = math.Add(1.0f, e);
}

/// The capped value over 1 + exp(-g), or times the reciprocal of that.
float TimesSigmoid(const Math& math, SituForm form, float capped, float denominator) {
  switch (form) {
    case SituForm::kStock:
      return math.Div(capped, denominator);
    case SituForm::kApprox:
      return math.DivFull(capped, denominator);
    case SituForm::kTriton:
      return math.Mul(capped, math.DivFull(1.0f, denominator));
    default:
      return math.Mul(capped, math.Div(1.0f, denominator));
  }
}

}  // namespace

void SituGate(const Math& math, SituForm form, const Betas& betas, In g, Out out) {
  std::vector<float> denominators(g.size());
  OnePlusExp(math, form, g, denominators);
  CappedTanh(math, form, betas.beta, g, out);
  const bool linear_factor = form == SituForm::kThreeProducts && betas.linear > 0.0f;
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = TimesSigmoid(math, form, math.Mul(betas.beta, out[i]), denominators[i]);
    if (linear_factor) out[i] = math.Mul(out[i], betas.linear);
  }
}

void SituUp(const Math& math, SituForm form, const Betas& betas, In u, Out out) {
  if (!(betas.linear > 0.0f)) {
    std::ranges::copy(u, out.begin());
    return;
  }
  CappedTanh(math, form, betas.linear, u, out);
  if (form == SituForm::kThreeProducts) return;
  for (float& value : out) value = math.Mul(betas.linear, value);
}

}  // namespace samebits::shared_expert
