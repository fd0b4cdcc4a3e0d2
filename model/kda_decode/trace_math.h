// The scalar operations of math.h as nodes of a trace (SPEC.md 3.0).
#ifndef SAMEBITS_MODEL_KDA_DECODE_TRACE_MATH_H_
#define SAMEBITS_MODEL_KDA_DECODE_TRACE_MATH_H_

#include "model/kda_decode/contract.h"
#include "model/kda_decode/math.h"
#include "model/tracing/builder.h"

namespace samebits::kda_decode {

/// Arguments and results are nodes of `builder`.
class TraceMath {
 public:
  TraceMath(const Choices& choices, tracing::Builder* builder)
      : choices_(choices), math_(choices, Path::kPlain), b_(*builder) {}

  int Exp(int x);
  int Sigmoid(int x);
  int Silu(int x);
  int Softplus(int x);
  int ReciprocalRoot(NormReciprocal form, int x);
  int RootApprox(int x);
  int DivFull(int a, int b) { return Divide(Division::kDivFull, a, b); }
  int Round(ToBf16 rounding, int x);

 private:
  int Divide(Division division, int a, int b);
  int OnePlusExpNegative(int x);
  int PowerOfTwo(int x);
  int Unit(units::Instruction instruction, int x) {
    return b_.Unit(math_.tables(), instruction, x);
  }

  const Choices& choices_;
  const Math math_;
  tracing::Builder& b_;
};

}  // namespace samebits::kda_decode

#endif  // SAMEBITS_MODEL_KDA_DECODE_TRACE_MATH_H_
