// float32 operations outside the matrix unit, as a contract has them (SPEC.md 4.3 to 4.6, 4.10).
#ifndef SAMEBITS_MODEL_SHARED_EXPERT_MATH_H_
#define SAMEBITS_MODEL_SHARED_EXPERT_MATH_H_

#include <cmath>
#include <span>

#include "model/arith/float32.h"
#include "model/order/evaluate.h"
#include "model/shared_expert/contract.h"
#include "model/units/special_functions.h"

namespace samebits::shared_expert {

/// How results are computed; the bits are the same.
enum class Path : uint8_t {
  kPlain,  // one element after the other, one instruction after the other
  kFast,   // vectorised where the machine allows it
};

using In = std::span<const float>;
using Out = std::span<float>;

/// fma.rm(v, 252, 0x4B400001) for v in [0, 1]: the floor of 252*v, exact in float64, on 2^23 + 2^22
/// + 1.
inline float RoundDown252(float v) {
  return arith::FromBits(0x4B400001u) + static_cast<float>(std::floor(252.0 * double{v}));
}

/// Spans of one call have equal lengths; `out` may be an operand.
class Math {
 public:
  Math(const Choices& choices, Path path);

  float Add(float a, float b) const { return Flush(arith::Add(Flush(a), Flush(b))); }
  float Mul(float a, float b) const { return Flush(arith::Mul(Flush(a), Flush(b))); }
  float Fma(float a, float b, float c) const {
    return Flush(arith::Fma(Flush(a), Flush(b), Flush(c)));
  }
  /// div.rn.f32.
  float Div(float a, float b) const { return Flush(arith::Div(Flush(a), Flush(b))); }
  /// div.full.f32, the approximate division.
  float DivFull(float a, float b) const;

  /// The sum of a tree's values.
  float Sum(const order::Tree& tree, In values) const;
  /// out[i] = the sum of values[i], values[i + stride], ...
  void SumColumns(const order::Tree& tree, const float* values, size_t stride, Out out) const;

  const units::SpecialFunctionTables& tables() const { return tables_; }
  bool flushes() const { return flushes_; }

  /// CUDA's tanhf, in the specification's sequence (TANH).
  void Tanh(In x, Out out) const;
  /// CUDA's expf (EXP) of -x.
  void ExpNegative(In x, Out out) const;
  /// ex2.approx.ftz of -x times log2(e) rounded to float32.
  void Ex2Negative(In x, Out out) const;
  /// tanh.approx.f32.
  void TanhApprox(In x, Out out) const;

 private:
  order::Subnormals subnormals() const {
    return flushes_ ? order::Subnormals::kFlushed : order::Subnormals::kKept;
  }
  float Flush(float x) const { return flushes_ ? arith::FlushSubnormal(x) : x; }
  void Evaluate(units::Instruction instruction, In x, Out out) const;

  const units::SpecialFunctionTables& tables_;
  bool flushes_;
  bool arrays_;      // array versions of the special functions
  bool vectorised_;  // vector code may replace adds
};

}  // namespace samebits::shared_expert

#endif  // SAMEBITS_MODEL_SHARED_EXPERT_MATH_H_
