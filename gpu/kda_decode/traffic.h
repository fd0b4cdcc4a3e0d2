// The bytes that one launch must move to and from device memory (SPEC.md section 8).
#ifndef SAMEBITS_GPU_KDA_DECODE_TRAFFIC_H_
#define SAMEBITS_GPU_KDA_DECODE_TRAFFIC_H_

#include <cstdint>

#include "model/kda_decode/config.h"

namespace samebits::gpu::kda_ws {

/// Of one (request, head): state, convolution window, rows, output, records. No padded rows, every
/// state write to a slot of its own.
int64_t BytesPerItem(const kda_decode::Config& config);
/// Of the launch: its items, and what they share (weights once per head, f_a once per request).
int64_t BytesPerLaunch(const kda_decode::Config& config);

}  // namespace samebits::gpu::kda_ws

#endif  // SAMEBITS_GPU_KDA_DECODE_TRAFFIC_H_
