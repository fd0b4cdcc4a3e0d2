// What a launch of the kda_decode kernel demands beyond a legal configuration.
#ifndef SAMEBITS_GPU_KDA_DECODE_PRECONDITIONS_H_
#define SAMEBITS_GPU_KDA_DECODE_PRECONDITIONS_H_

#include "model/kda_decode/config.h"
#include "model/kda_decode/operands.h"

namespace samebits::gpu::kda_ws {

/// Throws ConfigError that names the field: 16-byte alignment of rows and pages (asynchronous
/// copies), shared memory, 32-bit item numbers, missing operands. `blocks`: of the grid.
void CheckLaunch(const kda_decode::Config& config, const kda_decode::Operands& operands,
                 int blocks);

}  // namespace samebits::gpu::kda_ws

#endif  // SAMEBITS_GPU_KDA_DECODE_PRECONDITIONS_H_
