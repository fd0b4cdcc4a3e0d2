// Launches of the shared_expert kernels that are ready to be enqueued on a CUDA device.
#ifndef SAMEBITS_GPU_SHARED_EXPERT_PREPARED_LAUNCH_H_
#define SAMEBITS_GPU_SHARED_EXPERT_PREPARED_LAUNCH_H_

#include <variant>

#include "gpu/shared_expert/case_params.h"
#include "gpu/shared_expert/consumer.cuh"
#include "gpu/shared_expert/params.h"
#include "model/shared_expert/config.h"

namespace samebits::gpu::shared_expert {

/// May be enqueued any number of times.
struct PreparedLaunch {
  const void* kernel = nullptr;  // as cudaLaunchKernel takes it
  std::variant<Params, ConsumerParams> params;
  int blocks = 0;
  int threads = 0;
  int shared_bytes = 0;
  int cluster = 1;       // blocks of a cluster
  bool overlap = false;  // may start before the launch before it ends (programmatic dependency)
};

/// Enqueues on `stream` (a cudaStream_t; nullptr is the default stream).
void Enqueue(const PreparedLaunch& launch, void* stream);

/// Raises the kernel's limits of shared memory and cluster size to what the launch needs. Throws
/// EnvironmentError.
void AllowResources(const PreparedLaunch& launch);
/// Blocks of the launch that the current device runs at once.
int ResidentBlocks(const PreparedLaunch& launch);
/// Blocks that wait for each other must all be resident, or the launch would never end. Throws
/// EnvironmentError.
void RequireResident(const PreparedLaunch& launch);

/// One launch to be prepared: what all of them have in common.
struct LaunchRequest {
  const samebits::shared_expert::Config& config;
  const samebits::shared_expert::Operands& operands;
  LaunchPoint point;
  Params params;  // with the tensor maps of weights and h
  bool taps = false;
  bool overlap = false;
};
/// FUSED or a gate half. Throw ConfigError or EnvironmentError.
PreparedLaunch PrepareHopperShared(const LaunchRequest& request);
PreparedLaunch PrepareBlackwellShared(const LaunchRequest& request);
/// SharedDown on `blocks` blocks.
PreparedLaunch PrepareHopperDown(const LaunchRequest& request, int blocks);
PreparedLaunch PrepareBlackwellDown(const LaunchRequest& request, int blocks);

}  // namespace samebits::gpu::shared_expert

#endif  // SAMEBITS_GPU_SHARED_EXPERT_PREPARED_LAUNCH_H_
