// A kernel small enough to be read at a glance, with everything that a plan can have: padded rows,
// pages with gaps of which one is not used, an operand that is updated in place, taps.
//
//   tap doubled[row][column] = 2 * x[row][column]
//   tap sum[row][column] = doubled[row][column] + state[1 + row][column]
//   y[row][column] = sum[row][column], but row 1 is padded: y stays unwritten there
//   state[1 + row][column] = sum[row][column], but row 1's page and page 0 stay as they are
#ifndef SAMEBITS_TESTS_HARNESS_FAKE_KERNEL_H_
#define SAMEBITS_TESTS_HARNESS_FAKE_KERNEL_H_

#include <functional>
#include <string>
#include <vector>

#include "gpu/device_kernel.h"
#include "model/kernel.h"

namespace samebits::testing {

inline constexpr int kFakeRows = 3, kFakeColumns = 4, kFakePages = 5;
inline constexpr int kFakeStride = 6;  // floats from row to row and from page to page

class FakeKernel : public Kernel {
 public:
  std::string_view name() const override { return "fake"; }
  std::string_view doc() const override { return "For tests."; }
  std::span<const Axis> axes() const override { return {}; }
  Settings Complete(const Settings& config) const override { return config; }
  std::span<const Choice> choices() const override { return {}; }
  std::vector<std::string> contract_names() const override { return {"fake.plain"}; }
  Contract NamedContract(std::string_view) const override {
    return {"fake", "fake.plain", "none", {}};
  }
  void CheckContract(const Contract&) const override {}
  MemoryPlan Plan(const Settings& config, bool taps) const override;
  void GenerateInputs(const Settings&, const InputSource&, TensorSet*) const override {}
  void CheckInputs(const Settings&, const TensorSet&) const override {}
  void Run(const Settings& config, const Contract& contract, bool taps,
           std::span<void* const> addresses, int threads) const override;
};

/// Allocations of the plan.
enum FakeAllocation { kFakeX, kFakeState, kFakeY, kFakeDoubled, kFakeSum };

/// Computes FakeKernel, then lets `defect` loose on the same memory.
class FakeDeviceKernel : public gpu::DeviceKernel {
 public:
  using Defect = std::function<void(std::span<void* const> addresses, int launch)>;
  explicit FakeDeviceKernel(Defect defect) : defect_(std::move(defect)) {}
  std::string_view kernel() const override { return "fake"; }
  std::string_view contract() const override { return "fake.plain"; }
  gpu::LaunchInfo Launch(const Settings& config, const gpu::LaunchOptions& options,
                         std::span<void* const> addresses) const override;
  /// LaunchOptions::schedule of every launch so far.
  const std::vector<uint64_t>& schedules() const { return schedules_; }

 private:
  Defect defect_;
  mutable std::vector<uint64_t> schedules_;
  mutable int launches_ = 0;
};

}  // namespace samebits::testing

#endif  // SAMEBITS_TESTS_HARNESS_FAKE_KERNEL_H_
