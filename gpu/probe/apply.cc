#include "gpu/probe/apply.h"

#include <cstring>

#include "gpu/probe/fingerprint.h"
#include "model/arith/bfloat16.h"
#include "model/arith/float32.h"

namespace samebits::gpu::probe {
namespace {

using arith::FlushSubnormal;

bool IsInstruction(Unary operation) { return operation <= Unary::kLastInstruction; }

}  // namespace

uint32_t Apply(const units::SpecialFunctionTables& tables, Unary operation, uint32_t x) {
  if (IsInstruction(operation)) {
    const auto instruction = static_cast<units::Instruction>(operation);
    return arith::ToBits(units::Evaluate(tables, instruction, arith::FromBits(x)));
  }
  const uint16_t half = static_cast<uint16_t>(x);
  switch (operation) {
    case Unary::kToBf16:
      return arith::RoundToBf16(arith::FromBits(x));
    case Unary::kTanhF16:
      return units::TanhF16(tables, half);
    case Unary::kTanhBf16:
      return units::TanhBf16(tables, half);
    case Unary::kEx2F16:
      return units::Ex2F16(tables, half);
    default:
      return units::Ex2FtzBf16(tables, half);
  }
}

uint32_t Apply(const units::SpecialFunctionTables& tables, Scalar operation, float a, float b,
               float c) {
  const float fa = FlushSubnormal(a), fb = FlushSubnormal(b), fc = FlushSubnormal(c);
  const auto result = [&] {
    switch (operation) {
      case Scalar::kDivFull:
        return units::DivFull(tables, a, b);
      case Scalar::kDivFullFtz:
        return units::DivFullFtz(tables, a, b);
      case Scalar::kAdd:
        return arith::Add(a, b);
      case Scalar::kAddFtz:
        return FlushSubnormal(arith::Add(fa, fb));
      case Scalar::kMul:
        return arith::Mul(a, b);
      case Scalar::kMulFtz:
        return FlushSubnormal(arith::Mul(fa, fb));
      case Scalar::kFma:
        return arith::Fma(a, b, c);
      default:
        return FlushSubnormal(arith::Fma(fa, fb, fc));
    }
  };
  return arith::ToBits(result());
}

void ApplyArray(const units::SpecialFunctionTables& tables, Unary operation, const uint32_t* x,
                uint32_t* y, size_t n) {
  if (!IsInstruction(operation)) {
    for (size_t i = 0; i < n; ++i) y[i] = Apply(tables, operation, x[i]);
    return;
  }
  constexpr size_t kPart = 2048;
  float part[kPart];
  for (size_t first = 0; first < n; first += kPart) {
    const size_t count = n - first < kPart ? n - first : kPart;
    std::memcpy(part, x + first, count * sizeof(float));
    units::EvaluateArray(tables, static_cast<units::Instruction>(operation), part, part, count);
    std::memcpy(y + first, part, count * sizeof(float));
  }
}

uint64_t Fingerprint(const units::SpecialFunctionTables& tables, Unary operation, uint16_t block) {
  constexpr uint32_t kPart = 2048;  // stays in the first-level cache
  uint32_t x[kPart];
  uint64_t sum = 0;
  for (uint32_t first = 0; first < kBlockInputs; first += kPart) {
    for (uint32_t i = 0; i < kPart; ++i) x[i] = uint32_t{block} << 16 | (first + i);
    ApplyArray(tables, operation, x, x, kPart);
    for (uint32_t i = 0; i < kPart; ++i) sum += Contribution(first + i, x[i]);
  }
  return sum;
}

}  // namespace samebits::gpu::probe
