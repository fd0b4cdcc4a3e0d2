// Where a case lies on one device or on several, as the parameters of its launches.
#ifndef SAMEBITS_GPU_SHARED_EXPERT_CASE_MEMORY_H_
#define SAMEBITS_GPU_SHARED_EXPERT_CASE_MEMORY_H_

#include <span>
#include <vector>

#include "gpu/device_kernel.h"
#include "gpu/shared_expert/case_params.h"
#include "model/shared_expert/config.h"
#include "model/shared_expert/operands.h"

namespace samebits::gpu::shared_expert {

/// Thread blocks that SharedDown is asked to run on.
int DownBlocks(const samebits::shared_expert::Config& config, const LaunchOptions& options);

/// A rank's operands and intermediates are on its device (placement.h), and so are its mailboxes,
/// to which every rank's peer pointers lead. `config` must outlive it.
class CaseMemory {
 public:
  /// addresses[d][i]: allocation i of MakePlan(config, taps) on device d.
  CaseMemory(const samebits::shared_expert::Config& config, bool taps,
             std::span<const std::vector<void*>> addresses);

  const samebits::shared_expert::Config& config() const { return config_; }
  int devices() const { return static_cast<int>(operands_.size()); }
  int device_of(LaunchPoint point) const;
  const samebits::shared_expert::Operands& operands(int device) const { return operands_[device]; }

  /// CheckLaunch (preconditions.h) on every device.
  void Check(int down_blocks) const;

  /// `encode` makes a tensor map of a TensorDescription.
  template <class Encode>
  Params ParamsOf(LaunchPoint point, const Encode& encode) const {
    Params params = UnmappedParams(point);
    const Matrices matrices = DescribeMatrices(config_, operands_[device_of(point)], point);
    params.x_map = encode(matrices.x);
    params.gate_up_map = encode(matrices.gate_up);
    params.down_map = encode(matrices.down);
    params.h_map = encode(matrices.h);
    if (config_.has_front()) params.front_map = encode(matrices.front);
    return params;
  }
  ConsumerParams ConsumerOf(int step) const;

 private:
  Params UnmappedParams(LaunchPoint point) const;
  const samebits::shared_expert::Operands& OperandsOf(int rank) const;

  const samebits::shared_expert::Config& config_;
  std::vector<samebits::shared_expert::Operands> operands_;  // per device
  std::vector<samebits::shared_expert::Taps> taps_;
};

}  // namespace samebits::gpu::shared_expert

#endif  // SAMEBITS_GPU_SHARED_EXPERT_CASE_MEMORY_H_
