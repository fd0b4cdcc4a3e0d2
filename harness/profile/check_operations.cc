#include "harness/profile/check_operations.h"

#include <fmt/format.h>

#include "gpu/probe/apply.h"
#include "harness/profile/fit_special.h"
#include "model/arith/float32.h"

namespace samebits::harness::profile {
namespace {

using gpu::probe::Scalar;
using gpu::probe::Unary;

std::string FunctionOf(Scalar operation) {
  return operation == Scalar::kDivFull || operation == Scalar::kDivFullFtz ? "rcp" : "";
}

std::string FunctionOf(Unary operation) {
  if (operation == Unary::kTanhF16 || operation == Unary::kTanhBf16) return "tanh";
  return operation == Unary::kToBf16 ? "" : "ex2";
}

OperationCheck CheckScalar(const Capture& capture, const ScalarCapture& scalar,
                           const FindTables& find) {
  OperationCheck check;
  check.name = scalar.name;
  check.function = FunctionOf(scalar.operation);
  const auto tables =
      check.function.empty() ? units::SpecialFunctionTables() : find(check.function);
  if (!tables) return check;
  check.compared = true;
  for (size_t i = 0; i < scalar.results.size(); ++i) {
    const float a = capture.operands[0][i], b = capture.operands[1][i], c = capture.operands[2][i];
    const uint32_t bits = gpu::probe::Apply(*tables, scalar.operation, a, b, c);
    ++check.results;
    if (bits == scalar.results[i]) continue;
    if (check.differ++ == 0) {
      check.first = fmt::format(
          "of 0x{:08x}, 0x{:08x}, 0x{:08x}: recorded 0x{:08x}, model 0x{:08x}", arith::ToBits(a),
          arith::ToBits(b), arith::ToBits(c), scalar.results[i], bits);
    }
  }
  return check;
}

OperationCheck CheckHalf(const HalfCapture& half, const FindTables& find) {
  OperationCheck check;
  check.name = half.name;
  check.function = FunctionOf(half.operation);
  const auto tables = find(check.function);
  if (!tables) return check;
  check.compared = true;
  for (uint32_t x = 0; x < half.results.size(); ++x) {
    const uint32_t bits = gpu::probe::Apply(*tables, half.operation, x);
    ++check.results;
    if (bits == half.results[x]) continue;
    if (check.differ++ == 0) {
      check.first =
          fmt::format("of 0x{:04x}: recorded 0x{:04x}, model 0x{:04x}", x, half.results[x], bits);
    }
  }
  return check;
}

}  // namespace

std::vector<OperationCheck> CheckOperations(const Capture& capture, const FindTables& find) {
  std::vector<OperationCheck> checks;
  for (const HalfCapture& half : capture.half) checks.push_back(CheckHalf(half, find));
  for (const ScalarCapture& scalar : capture.scalar) {
    checks.push_back(CheckScalar(capture, scalar, find));
  }
  return checks;
}

}  // namespace samebits::harness::profile
