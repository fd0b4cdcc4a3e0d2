// The launches of one case as parameters, for whichever machine runs them.
#ifndef SAMEBITS_GPU_SHARED_EXPERT_CASE_PARAMS_H_
#define SAMEBITS_GPU_SHARED_EXPERT_CASE_PARAMS_H_

#include "gpu/lane/tensor_map.h"
#include "gpu/shared_expert/consumer.cuh"
#include "gpu/shared_expert/params.h"
#include "model/shared_expert/config.h"
#include "model/shared_expert/operands.h"

namespace samebits::gpu::shared_expert {

/// The matrices of one (step, rank), as the kernels' tensor maps see them (SPEC.md 2.3).
struct Matrices {
  TensorDescription x, gate_up, front, down, h;  // front: base is null without front rows
};

/// One (step, index of the rank) of a case; the peers and tensor maps are left to CaseMemory, the
/// exchange and stages to the caller.
struct LaunchPoint {
  int step = 0;
  int index = 0;  // < Config::ranks()
};
Matrices DescribeMatrices(const samebits::shared_expert::Config& config,
                          const samebits::shared_expert::Operands& operands, LaunchPoint point);
Params MakeParams(const samebits::shared_expert::Config& config,
                  const samebits::shared_expert::Operands& operands,
                  const samebits::shared_expert::Taps& taps, LaunchPoint point);
ConsumerParams MakeConsumerParams(const samebits::shared_expert::Config& config,
                                  const samebits::shared_expert::Operands& operands, int step);

/// The exchange buffers of the sm_90a kernel, in one piece of memory whose first kTicketBytes hold
/// the ticket. `memory`: 256-byte aligned.
inline constexpr int64_t kTicketBytes = 256;
int64_t ExchangeSize(const samebits::shared_expert::Config& config);
Exchange PlaceExchange(const samebits::shared_expert::Config& config, void* memory);

}  // namespace samebits::gpu::shared_expert

#endif  // SAMEBITS_GPU_SHARED_EXPERT_CASE_PARAMS_H_
