// Copies of a case's operands in device memory, to be used in turn.
#ifndef SAMEBITS_HARNESS_BENCH_OPERAND_SETS_H_
#define SAMEBITS_HARNESS_BENCH_OPERAND_SETS_H_

#include <memory>
#include <span>
#include <vector>

#include "golden/case.h"
#include "gpu/device_kernel.h"

namespace samebits::harness {

/// Equal sets apart from each other, without taps: as many as `bytes` holds, `least` at least and
/// `most` at most.
class OperandSets {
 public:
  OperandSets(gpu::Device* device, const Kernel& kernel, const Settings& config, int64_t bytes,
              int least, int most);
  /// Per set, an address per allocation of the plan.
  std::span<const std::vector<void*>> addresses() const { return addresses_; }

 private:
  std::vector<std::shared_ptr<void>> memory_;
  std::vector<std::vector<void*>> addresses_;
};

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_BENCH_OPERAND_SETS_H_
