// SiTU as nodes of a trace: math.h and situ.h operation by operation (SPEC.md 4.6).
#ifndef SAMEBITS_MODEL_SHARED_EXPERT_TRACE_SITU_H_
#define SAMEBITS_MODEL_SHARED_EXPERT_TRACE_SITU_H_

#include "model/shared_expert/contract.h"
#include "model/shared_expert/math.h"
#include "model/shared_expert/situ.h"
#include "model/tracing/builder.h"

namespace samebits::shared_expert {

/// Arguments and results are nodes of `builder`.
class TraceSitu {
 public:
  TraceSitu(const Choices& choices, const Betas& betas, tracing::Builder* builder)
      : form_(choices.situ), betas_(betas), math_(choices, Path::kPlain), b_(*builder) {}

  /// A(g).
  int Gate(int g);
  /// U(u).
  int Up(int u);

 private:
  int Constant(float value, const char* label) { return b_.Constant(value, label); }
  int Unit(units::Instruction instruction, int x) {
    return b_.Unit(math_.tables(), instruction, x);
  }
  int DivFull(int a, int b);
  int Tanh(int a);
  int ExpNegative(int x);
  int Ex2Negative(int x);
  int CappedTanh(int x, int cap);
  int OnePlusExp(int g);
  int TimesSigmoid(int capped, int denominator);

  const SituForm form_;
  const Betas betas_;
  const Math math_;
  tracing::Builder& b_;
};

}  // namespace samebits::shared_expert

#endif  // SAMEBITS_MODEL_SHARED_EXPERT_TRACE_SITU_H_
