// What the device's memory can do: the measure of memory-bound kernels.
#ifndef SAMEBITS_GPU_CUDA_BANDWIDTH_H_
#define SAMEBITS_GPU_CUDA_BANDWIDTH_H_

#include <cstdint>

namespace samebits::gpu {

/// Bytes per second, median over `replays`. `bytes` (a multiple of 16) should be many times the L2
/// cache. Throws EnvironmentError.
struct Bandwidth {
  double read = 0;  // bytes read
  double copy = 0;  // bytes read plus bytes written
};
Bandwidth MeasureBandwidth(int64_t bytes, int replays);

}  // namespace samebits::gpu

#endif  // SAMEBITS_GPU_CUDA_BANDWIDTH_H_
