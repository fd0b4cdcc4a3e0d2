// A kernel small enough to check by hand, with everything that golden/ must cope with: two 16-bit
// types, integers, an operand updated in place, strided and transposed operands that share an
// allocation, a tap, an output that is not written everywhere.
#ifndef SAMEBITS_TESTS_GOLDEN_FAKE_KERNEL_H_
#define SAMEBITS_TESTS_GOLDEN_FAKE_KERNEL_H_

#include "model/kernel.h"

namespace samebits::golden::testing {

/// y[r][c] = bf16(a[r][c] * x[r][c] + b[c]) in rows whose mode is positive; state += y.
class FakeKernel : public Kernel {
 public:
  std::string_view name() const override { return "fake"; }
  std::string_view doc() const override { return "y = a*x + b"; }
  std::span<const Axis> axes() const override;
  Settings Complete(const Settings& config) const override;
  std::span<const Choice> choices() const override;
  std::vector<std::string> contract_names() const override { return {"fake.cpu"}; }
  Contract NamedContract(std::string_view name) const override;
  void CheckContract(const Contract& contract) const override;
  MemoryPlan Plan(const Settings& config, bool taps) const override;
  void GenerateInputs(const Settings& config, const InputSource& source,
                      TensorSet* inputs) const override;
  void CheckInputs(const Settings& config, const TensorSet& inputs) const override;
  void Run(const Settings& config, const Contract& contract, bool taps,
           std::span<void* const> addresses, int threads) const override;

  /// Bytes that Run changes although it must not: -1 none, else an offset from allocation 0.
  int64_t trespass_at = -1;
};

const FakeKernel& Fake();
const Kernel* FindFake(std::string_view name);

}  // namespace samebits::golden::testing

#endif  // SAMEBITS_TESTS_GOLDEN_FAKE_KERNEL_H_
