// The scalar operations of the specification, as a contract has them (SPEC.md 0.2, 7.2, 7.3).
// float32, one rounding each, subnormals kept; every NaN is the canonical one of arith/float32.h.
#ifndef SAMEBITS_MODEL_KDA_PRE_MATH_H_
#define SAMEBITS_MODEL_KDA_PRE_MATH_H_

#include <span>

#include "model/arith/bfloat16.h"
#include "model/arith/float32.h"
#include "model/kda_pre/contract.h"
#include "model/order/evaluate.h"

namespace samebits::kda_pre {

/// How results are computed; the bits are the same.
enum class Path : uint8_t {
  kPlain,  // one scalar operation after the other
  kFast,   // vectorised where the machine allows it
};

/// BF: to bf16 and back.
inline float Bf(float x) { return arith::Widen(arith::RoundToBf16(x)); }
inline float Round(ToBf16 rounding, float x) { return rounding == ToBf16::kBf16 ? Bf(x) : x; }
/// a*b + c.
inline float MultiplyThenAdd(MultiplyAdd choice, float a, float b, float c) {
  return choice == MultiplyAdd::kFused ? arith::Fma(a, b, c) : arith::Add(arith::Mul(a, b), c);
}

class Math {
 public:
  Math(const Choices& choices, Path path);

  Path path() const { return path_; }
  float Exp2(float x) const;
  float Rsq(float x) const;
  /// SIG: 1 / (1 + 2^(z * -log2(e))).
  float Sigmoid(float z) const;
  /// MAXP, +0 above -0.
  float Max(float a, float b) const;

  /// The sum of a tree's values.
  float Sum(const order::Tree& tree, std::span<const float> values) const;
  /// order::SumColumns.
  void SumColumns(const order::Tree& tree, const order::Columns& columns,
                  std::span<float> out) const;

 private:
  const Choices& choices_;
  const Path path_;
  const bool vectorised_;
};

}  // namespace samebits::kda_pre

#endif  // SAMEBITS_MODEL_KDA_PRE_MATH_H_
