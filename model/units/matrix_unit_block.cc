#include "model/units/matrix_unit_block.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "model/arith/bfloat16.h"
#include "model/units/matrix_unit_terms.h"

namespace samebits::units {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

bool IsNan(uint16_t x) { return (x & 0x7FFF) > 0x7F80; }
bool IsInf(uint16_t x) { return (x & 0x7FFF) == 0x7F80; }
bool IsZero(uint16_t x) { return (x & 0x7FFF) == 0; }

/// |term| >= 2^128.
bool Overflows(const Term& t) { return LeadingBit(t.significand) + t.lsb >= 128; }

/// NaN and infinity operands (section 2.1); nothing if every term is finite.
std::optional<float> Special(const MatrixUnit& unit, const uint16_t* a, const uint16_t* b, int n,
                             float c) {
  bool nan = arith::IsNan(c), positive = c == kInfinity, negative = c == -kInfinity;
  for (int i = 0; i < n; ++i) {
    if (IsNan(a[i]) || IsNan(b[i])) {
      nan = true;
    } else if (IsInf(a[i]) || IsInf(b[i])) {
      if (IsZero(a[i]) || IsZero(b[i])) {
        nan = true;
      } else {
        (((a[i] ^ b[i]) & 0x8000) != 0 ? negative : positive) = true;
      }
    } else if (unit.product_overflow) {
      const Term t = ProductTerm(a[i], b[i]);
      if (Overflows(t)) (t.negative ? negative : positive) = true;
    }
  }
  if (nan || (positive && negative)) return arith::FromBits(unit.nan_bits);
  if (positive) return kInfinity;
  if (negative) return -kInfinity;
  return std::nullopt;
}

struct Terms {
  std::array<Term, kMaxBlock + 1> term;
  int count = 0;
  void Add(const Term& t) {
    if (t.significand != 0) term[count++] = t;  // zero terms never raise the alignment
  }
  const Term* begin() const { return term.data(); }
  const Term* end() const { return term.data() + count; }
};

Terms Products(const uint16_t* a, const uint16_t* b, int n) {
  Terms terms;
  for (int i = 0; i < n; ++i) terms.Add(ProductTerm(a[i], b[i]));
  return terms;
}

int MaxExponent(const Terms& terms, int floor) {
  int e = floor;
  for (const Term& t : terms) e = std::max(e, t.exponent);
  return e;
}

/// Exact sum of the terms, each truncated toward zero to a multiple of 2^lsb, in units of 2^lsb.
int64_t TruncatedSum(const Terms& terms, int lsb) {
  int64_t sum = 0;
  for (const Term& t : terms) {
    const auto magnitude = static_cast<int64_t>(ShiftTruncating(t.significand, t.lsb - lsb));
    sum += t.negative ? -magnitude : magnitude;
  }
  return sum;
}

uint64_t Magnitude(int64_t x) { return static_cast<uint64_t>(x < 0 ? -x : x); }

/// Section 2.2.
float JoinBlock(const MatrixUnit& unit, const uint16_t* a, const uint16_t* b, int n, float c) {
  Terms terms = Products(a, b, n);
  terms.Add(AccumulatorTerm(c));
  const int lsb = MaxExponent(terms, unit.exponent_floor) - unit.fraction_bits;
  const int64_t sum = TruncatedSum(terms, lsb);
  const float d = ToFloat(sum < 0, Magnitude(sum), lsb, unit.rounding);
  return d == 0.0f && !unit.keep_underflow_sign ? 0.0f : d;
}

/// Section 2.3. Units of 2^lsb with lsb = alignment exponent - dot_fraction_bits.
float LateBlock(const MatrixUnit& unit, const uint16_t* a, const uint16_t* b, int n, float c) {
  constexpr int kNone = -1000;
  const Terms products = Products(a, b, n);
  const Term accumulator = AccumulatorTerm(c);
  const bool zero_c = accumulator.significand == 0;
  const int dot_exponent = MaxExponent(products, kNone);
  const int c_exponent = zero_c ? unit.zero_c_exponent : accumulator.exponent;
  const int exponent = std::max(dot_exponent, c_exponent);
  const int lsb = exponent - unit.dot_fraction_bits;

  const int dot_lsb = dot_exponent - unit.fraction_bits;
  const int64_t dot = products.count == 0 ? 0 : TruncatedSum(products, dot_lsb);
  const int64_t signed_c =
      accumulator.negative ? -int64_t{accumulator.significand} : int64_t{accumulator.significand};
  const int c_lsb = exponent - unit.c_fraction_bits;
  int64_t sum = ShiftFlooring(dot, dot_lsb - lsb) +
                ShiftFlooring(ShiftFlooring(signed_c, accumulator.lsb - c_lsb), c_lsb - lsb);

  const int leading = std::max(-126, LeadingBit(Magnitude(sum)) + lsb);
  const int dropped = std::max(0, leading - unit.normalised_fraction_bits - lsb);
  sum = ShiftFlooring(sum, -dropped);
  return ToFloat(sum < 0, Magnitude(sum), lsb + dropped, Rounding::kNearestEven);
}

/// Section 2.4.
float PairBlock(const MatrixUnit& unit, const uint16_t* a, const uint16_t* b, int n, float c) {
  const auto result = [&](float x) {
    if (arith::IsNan(x)) return arith::FromBits(unit.nan_bits);
    return unit.flush_results ? arith::FlushSubnormal(x) : x;
  };
  std::array<float, kMaxBlock> level;
  for (int i = 0; i < n; ++i) level[i] = result(arith::Widen(a[i]) * arith::Widen(b[i]));
  for (; n > 1; n /= 2) {
    for (int i = 0; i < n / 2; ++i) level[i] = result(level[2 * i] + level[2 * i + 1]);
  }
  return result(c + level[0]);
}

/// Fixed point over every finite sum of products and a float32: bit 0 weighs 2^kLsb.
class WideSum {
 public:
  void Add(const Term& t) {
    const int bit = t.lsb - kLsb;
    const uint64_t shifted = uint64_t{t.significand} << (bit % 32);
    const int64_t sign = t.negative ? -1 : 1;
    limbs_[bit / 32] += sign * static_cast<int64_t>(shifted & 0xFFFFFFFFu);
    limbs_[bit / 32 + 1] += sign * static_cast<int64_t>(shifted >> 32);
  }

  float Round() {
    Carry();
    const bool negative = limbs_[kLimbs - 1] < 0;
    if (negative) {
      for (int64_t& limb : limbs_) limb = -limb;
      Carry();
    }
    int top = kLimbs - 1;
    while (top > 1 && limbs_[top] == 0) --top;
    const uint64_t magnitude =
        static_cast<uint64_t>(limbs_[top]) << 32 | static_cast<uint64_t>(limbs_[top - 1]);
    const bool sticky = std::any_of(limbs_.begin(), limbs_.begin() + (top - 1),
                                    [](int64_t limb) { return limb != 0; });
    const float d =
        ToFloat(negative, magnitude, kLsb + 32 * (top - 1), Rounding::kNearestEven, sticky);
    return magnitude == 0 ? 0.0f : d;
  }

 private:
  static constexpr int kLsb = -272;  // below 2^(2 * -133)
  static constexpr int kLimbs = 18;  // up to 2^304

  void Carry() {
    for (int i = 0; i + 1 < kLimbs; ++i) {
      limbs_[i + 1] += limbs_[i] >> 32;
      limbs_[i] &= 0xFFFFFFFF;
    }
  }

  std::array<int64_t, kLimbs> limbs_{};  // 32 bits each, signed while summing
};

float ExactBlock(const uint16_t* a, const uint16_t* b, int n, float c) {
  WideSum sum;
  for (int i = 0; i < n; ++i) sum.Add(ProductTerm(a[i], b[i]));
  sum.Add(AccumulatorTerm(c));
  return sum.Round();
}

float SequentialBlock(const MatrixUnit& unit, const uint16_t* a, const uint16_t* b, int n,
                      float c) {
  for (int i = 0; i < n; ++i) c = std::fma(arith::Widen(a[i]), arith::Widen(b[i]), c);
  return arith::IsNan(c) ? arith::FromBits(unit.nan_bits) : c;
}

}  // namespace

float ToFloat(bool negative, uint64_t magnitude, int lsb, Rounding rounding, bool sticky) {
  const uint32_t sign = negative ? 0x80000000u : 0u;
  if (magnitude == 0) return arith::FromBits(sign);
  const int leading = LeadingBit(magnitude) + lsb;
  const int result_lsb = std::max(leading, -126) - 23;
  const int dropped = result_lsb - lsb;
  uint64_t kept = ShiftTruncating(magnitude, -dropped);
  if (rounding == Rounding::kNearestEven && dropped > 0 && dropped <= 64) {
    const uint64_t half = uint64_t{1} << (dropped - 1);
    const uint64_t rest = magnitude & (half | (half - 1));
    if (rest > half || (rest == half && (sticky || (kept & 1) != 0))) ++kept;
  }
  // A significand that carries into 2^24, or out of the subnormals, moves to the next exponent.
  const int field = result_lsb + 23 + 127;
  if (field + static_cast<int>(kept >> 24) > 254) return arith::FromBits(sign | 0x7F800000u);
  return arith::FromBits(sign + (static_cast<uint32_t>(field - 1) << 23) +
                         static_cast<uint32_t>(kept));
}

float SumBlock(const MatrixUnit& unit, const uint16_t* a, const uint16_t* b, int n, float c) {
  if (unit.op == BlockSum::kPair) return PairBlock(unit, a, b, n, c);
  if (unit.op == BlockSum::kSequential) return SequentialBlock(unit, a, b, n, c);
  if (const auto special = Special(unit, a, b, n, c)) return *special;
  switch (unit.op) {
    case BlockSum::kJoin:
      return JoinBlock(unit, a, b, n, c);
    case BlockSum::kLate:
      return LateBlock(unit, a, b, n, c);
    default:
      return ExactBlock(a, b, n, c);
  }
}

float SumBlockStrided(const MatrixUnit& unit, const float* a, int64_t a_stride, const float* b,
                      int n, float c) {
  std::array<uint16_t, kMaxBlock> block_a, block_b;
  for (int i = 0; i < n; ++i) {
    block_a[i] = static_cast<uint16_t>(arith::ToBits(a[i * a_stride]) >> 16);
    block_b[i] = static_cast<uint16_t>(arith::ToBits(b[i]) >> 16);
  }
  return SumBlock(unit, block_a.data(), block_b.data(), n, c);
}

}  // namespace samebits::units
