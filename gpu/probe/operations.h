// What a probe measures: operations of one chip by name, and the fingerprint of their results.
#ifndef SAMEBITS_GPU_PROBE_OPERATIONS_H_
#define SAMEBITS_GPU_PROBE_OPERATIONS_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "model/units/special_functions.h"

namespace samebits::gpu::probe {

/// Operations of one float32 (or 16-bit) operand. The first ones are units::Instruction.
enum class Unary : uint8_t {
  kLastInstruction = units::kInstructionCount - 1,
  kToBf16,   // cvt.rn.bf16.f32
  kTanhF16,  // of 16-bit operands, as the rest
  kTanhBf16,
  kEx2F16,
  kEx2FtzBf16,
};
constexpr Unary Of(units::Instruction instruction) { return static_cast<Unary>(instruction); }

/// Operations of up to three float32 operands.
enum class Scalar : uint8_t {
  kDivFull,
  kDivFullFtz,
  kAdd,
  kAddFtz,
  kMul,
  kMulFtz,
  kFma,
  kFmaFtz,
};

enum class Vendor : uint8_t { kNvidia, kAmd };

struct UnaryOperation {
  std::string_view name;  // as the vendor spells it: "ex2.approx.ftz.f32", "v_exp_f32"
  Unary operation;
  int bits = 32;  // of the operand: 32 or 16
};
struct ScalarOperation {
  std::string_view name;
  Scalar operation;
};

/// D = A B + C of one instruction: A [m][k] and B [n][k] bf16, C and D [m][n] float32.
struct MatrixOperation {
  std::string_view name;  // "mma.sync.m16n8k16"
  int m, n, k;
};

std::span<const UnaryOperation> UnaryOperations(Vendor vendor);
std::span<const ScalarOperation> ScalarOperations(Vendor vendor);

inline constexpr uint32_t kBlockInputs = 65536;  // inputs of one fingerprint
inline constexpr uint32_t kAllBlocks = 65536;

}  // namespace samebits::gpu::probe

#endif  // SAMEBITS_GPU_PROBE_OPERATIONS_H_
