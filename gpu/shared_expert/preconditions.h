// What a launch of the shared_expert kernels demands beyond a legal configuration.
#ifndef SAMEBITS_GPU_SHARED_EXPERT_PRECONDITIONS_H_
#define SAMEBITS_GPU_SHARED_EXPERT_PRECONDITIONS_H_

#include "model/shared_expert/config.h"
#include "model/shared_expert/operands.h"

namespace samebits::gpu::shared_expert {

/// Throws ConfigError that names the field: missing operands, 16-byte alignment of what is copied
/// or stored in vectors (C7), 32-bit numbers of elements, blocks of SharedDown.
void CheckLaunch(const samebits::shared_expert::Config& config,
                 const samebits::shared_expert::Operands& operands, int down_blocks);

}  // namespace samebits::gpu::shared_expert

#endif  // SAMEBITS_GPU_SHARED_EXPERT_PRECONDITIONS_H_
