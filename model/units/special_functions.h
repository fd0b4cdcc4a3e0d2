// The special-function unit (MUFU) of an NVIDIA chip: its eight functions in closed form, and the
// PTX instructions built on them. Source of every rule: special_functions.md and
// special_functions_more.md in this folder (measured on sm_90 for all 2^32 inputs).
//
// All functions are pure; values are float32, every NaN result is 0x7FFFFFFF.
#ifndef SAMEBITS_MODEL_UNITS_SPECIAL_FUNCTIONS_H_
#define SAMEBITS_MODEL_UNITS_SPECIAL_FUNCTIONS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "model/arith/bfloat16.h"
#include "model/arith/float16.h"
#include "model/units/special_functions/interpolator.h"

namespace samebits::units {

/// TANH chooses its row by the argument's exponent and the top `index_bits` fraction bits.
struct TanhBinade {
  uint8_t index_bits, first_row;
};

/// What the unit computes.
enum class SpecialFunctionMethod : uint8_t {
  kInterpolated,      // the hardware's tables
  kCorrectlyRounded,  // the exact value rounded once to nearest even; special cases, flushing and
                      // the PTX expansions as in the hardware (contract choice `mufu`)
};

/// The tables of one chip's unit. Units of V: special_functions.md counts quarters and halves of an
/// output ulp; here every table is an integer polynomial with its own number of fraction bits.
struct SpecialFunctionTables {
  static constexpr int kTanhMinExponent = -8;  // below: tanh(x) == x
  static constexpr int kTanhMaxExponent = 2;   // above: tanh(x) == 1

  SpecialFunctionMethod method = SpecialFunctionMethod::kInterpolated;
  Interpolator ex2;   // 2^f, f the 23-bit fraction
  Interpolator rcp;   // 1/m, m in [1, 2)
  Interpolator rsq;   // 1/sqrt(m), then 1/sqrt(2m): rows of an even, then of an odd exponent
  Interpolator sqrt;  // sqrt(m), then sqrt(2m)
  Interpolator lg2;   // log2(m)
  Interpolator tanh;  // rows grouped by binade, see tanh_binades
  Interpolator sin;   // sin(pi/2 * f), f the 23-bit position in a quarter turn
  std::array<TanhBinade, kTanhMaxExponent - kTanhMinExponent + 1> tanh_binades{};

  /// Throws std::invalid_argument that names the table and what was expected.
  void validate() const;
};

/// The functions of the unit: MUFU.EX2 and so on. Subnormal inputs count as zeros of their sign
/// (except TANH, which returns them), results below 2^-126 become zero.
float Ex2(const SpecialFunctionTables& tables, float x);
float Rcp(const SpecialFunctionTables& tables, float x);
float Rsq(const SpecialFunctionTables& tables, float x);
float Sqrt(const SpecialFunctionTables& tables, float x);
float Lg2(const SpecialFunctionTables& tables, float x);
float Tanh(const SpecialFunctionTables& tables, float x);
float Sin(const SpecialFunctionTables& tables, float turns);
float Cos(const SpecialFunctionTables& tables, float turns);

/// PTX instructions of one operand, and the bare SIN and COS (argument in turns).
enum class Instruction : uint8_t {
  kEx2ApproxFtzF32,
  kEx2ApproxF32,
  kRcpApproxFtzF32,
  kRcpApproxF32,
  kRsqrtApproxFtzF32,
  kRsqrtApproxF32,
  kSqrtApproxFtzF32,
  kSqrtApproxF32,
  kLg2ApproxFtzF32,
  kLg2ApproxF32,
  kTanhApproxF32,
  kSinApproxFtzF32,
  kSinApproxF32,
  kCosApproxFtzF32,
  kCosApproxF32,
  kMufuSin,
  kMufuCos,
};
inline constexpr int kInstructionCount = 17;

/// As PTX spells it: "ex2.approx.ftz.f32"; "mufu.sin" and "mufu.cos" for the bare functions.
std::string_view Name(Instruction instruction);
std::optional<Instruction> ParseInstruction(std::string_view name);

/// One instruction, plain scalar integers.
float Evaluate(const SpecialFunctionTables& tables, Instruction instruction, float x);

/// y[i] = Evaluate(tables, instruction, x[i]), i < n, in SIMD where the machine has AVX2. y may be
/// x.
void EvaluateArray(const SpecialFunctionTables& tables, Instruction instruction, const float* x,
                   float* y, size_t n);

/// div.full.f32 and div.full.ftz.f32: a / b.
float DivFull(const SpecialFunctionTables& tables, float a, float b);
float DivFullFtz(const SpecialFunctionTables& tables, float a, float b);

/// y[i] = a[i] / b[i], i < n. y may be a or b.
void DivFullArray(const SpecialFunctionTables& tables, const float* a, const float* b, float* y,
                  size_t n);
void DivFullFtzArray(const SpecialFunctionTables& tables, const float* a, const float* b, float* y,
                     size_t n);

/// The half-precision forms: the binary32 function of the widened input, truncated toward zero.
arith::Bf16 TanhBf16(const SpecialFunctionTables& tables, arith::Bf16 x);    // tanh.approx.bf16
arith::F16 TanhF16(const SpecialFunctionTables& tables, arith::F16 x);       // tanh.approx.f16
arith::Bf16 Ex2FtzBf16(const SpecialFunctionTables& tables, arith::Bf16 x);  // ex2.approx.ftz.bf16
arith::F16 Ex2F16(const SpecialFunctionTables& tables, arith::F16 x);        // ex2.approx.f16

}  // namespace samebits::units

#endif  // SAMEBITS_MODEL_UNITS_SPECIAL_FUNCTIONS_H_
