// The scalar operations of the specification on arrays, as a contract has them (SPEC.md 3.0).
#ifndef SAMEBITS_MODEL_KDA_DECODE_MATH_H_
#define SAMEBITS_MODEL_KDA_DECODE_MATH_H_

#include <optional>
#include <span>

#include "model/arith/float32.h"
#include "model/kda_decode/contract.h"
#include "model/order/evaluate.h"
#include "model/order/levels.h"
#include "model/units/special_functions.h"

namespace samebits::kda_decode {

/// How results are computed; the bits are the same.
enum class Path : uint8_t {
  kPlain,  // one scalar operation after the other
  kFast,   // vectorised where the machine and the contract allow it
};

using In = std::span<const float>;
using Out = std::span<float>;

/// Spans of one call have equal lengths; `out` may be an operand.
class Math {
 public:
  Math(const Choices& choices, Path path);

  const units::SpecialFunctionTables& tables() const { return tables_; }
  bool flushes() const { return flushes_; }
  /// Vector code may replace adds, multiplications and fmas.
  bool vectorised() const { return vectorised_; }

  float Add(float a, float b) const { return Flush(arith::Add(Flush(a), Flush(b))); }
  float Sub(float a, float b) const { return Flush(arith::Sub(Flush(a), Flush(b))); }
  float Mul(float a, float b) const { return Flush(arith::Mul(Flush(a), Flush(b))); }
  float Fma(float a, float b, float c) const {
    return Flush(arith::Fma(Flush(a), Flush(b), Flush(c)));
  }

  /// The sum of a[i] * a[i] in the order of the tree, whose levels these are if it has any.
  float SumSquares(const order::Tree& tree, const std::optional<order::Levels>& levels, In a) const;
  /// The same for out.size() outputs.
  void SumColumns(const order::Tree& tree, const order::Columns& columns, Out out) const;

  void Add(In a, In b, Out out) const;
  void Sub(In a, In b, Out out) const;
  void Mul(In a, In b, Out out) const;
  void Add(In a, float b, Out out) const;
  void Mul(In a, float b, Out out) const;

  /// The choice `exp`; Triton's tl.exp by default.
  void Exp(In x, Out out) const;
  /// 1 / (1 + exp(-x)) with the choice sigmoid_division.
  void Sigmoid(In x, Out out) const;
  /// The choices silu_form and silu_division.
  void Silu(In x, Out out) const;
  /// log(1 + exp(x)), x itself above 20, as Triton computes it: tl.log is lg2.approx times ln(2).
  void Softplus(In x, Out out) const;

  float Exp(float x) const;
  float Sigmoid(float x) const;
  /// Reciprocal square root of a choice; kDivSqrt: DIV(1, SQRT(x)).
  float ReciprocalRoot(NormReciprocal form, float x) const;
  /// sqrt.approx.f32.
  float RootApprox(float x) const;
  /// div.full.f32 of every element by one divisor.
  void DivFull(In a, float b, Out out) const;

  /// To bf16 and back; kNone: as it is.
  void RoundToBf16(ToBf16 rounding, In x, Out out) const;

 private:
  order::Subnormals subnormals() const {
    return flushes_ ? order::Subnormals::kFlushed : order::Subnormals::kKept;
  }
  float Flush(float x) const { return flushes_ ? arith::FlushSubnormal(x) : x; }
  void Evaluate(units::Instruction instruction, In x, Out out) const;
  void Divide(Division division, In a, In b, Out out) const;
  void ExpNegative(In x, Out out) const;
  /// 1 + exp(-x).
  void OnePlusExpNegative(In x, Out out) const;
  /// The exponential of x * log2(e), which is given.
  void PowerOfTwo(In x, Out out) const;

  const Choices& choices_;
  const units::SpecialFunctionTables& tables_;
  bool flushes_;
  bool arrays_;  // array versions of the special functions
  bool vectorised_;
};

}  // namespace samebits::kda_decode

#endif  // SAMEBITS_MODEL_KDA_DECODE_MATH_H_
