#include "tests/harness/fake_kernel.h"

namespace samebits::testing {
namespace {

constexpr int64_t kFloat = 4;

Operand Rows(const std::string& name, Role role, int rows, int allocation) {
  Operand operand;
  operand.spec = {name, role, DType::kF32, {"row", "column"}, {rows, kFakeColumns}};
  operand.allocation = allocation;
  operand.strides = {kFakeStride * kFloat, kFloat};
  return operand;
}

}  // namespace

MemoryPlan FakeKernel::Plan(const Settings&, bool taps) const {
  const int64_t rows = kFakeRows * kFakeStride * kFloat;
  MemoryPlan plan;
  plan.allocations = {{"x", rows}, {"state", kFakePages * kFakeStride * kFloat}, {"y", rows}};
  plan.operands = {Rows("x", Role::kInput, kFakeRows, kFakeX),
                   Rows("state", Role::kInput, kFakePages, kFakeState)};
  plan.operands.back().output = true;
  if (taps) {
    plan.allocations.push_back({"doubled", rows});
    plan.allocations.push_back({"sum", rows});
    plan.operands.push_back(Rows("doubled", Role::kTap, kFakeRows, kFakeDoubled));
    plan.operands.push_back(Rows("sum", Role::kTap, kFakeRows, kFakeSum));
  }
  plan.operands.push_back(Rows("y", Role::kOutput, kFakeRows, kFakeY));
  return plan;
}

void FakeKernel::Run(const Settings&, const Contract&, bool taps, std::span<void* const> addresses,
                     int) const {
  const auto memory = [&](int allocation) { return static_cast<float*>(addresses[allocation]); };
  for (int row = 0; row < kFakeRows; ++row) {
    for (int column = 0; column < kFakeColumns; ++column) {
      const int at = row * kFakeStride + column;
      float* state = memory(kFakeState) + kFakeStride + at;
      const float doubled = 2 * memory(kFakeX)[at], sum = doubled + *state;
      if (taps) memory(kFakeDoubled)[at] = doubled;
      if (taps) memory(kFakeSum)[at] = sum;
      if (row == 1) continue;
      memory(kFakeY)[at] = sum;
      *state = sum;
    }
  }
}

gpu::LaunchInfo FakeDeviceKernel::Launch(const Settings& config, const gpu::LaunchOptions& options,
                                         std::span<void* const> addresses) const {
  FakeKernel().Run(config, {}, options.taps, addresses, 1);
  defect_(addresses, launches_++);
  schedules_.push_back(options.schedule);
  return {"fake_symbol", "fake_hash"};
}

}  // namespace samebits::testing
