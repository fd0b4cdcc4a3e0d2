// Launches the kda_decode kernels on the current CUDA device.
#ifndef SAMEBITS_GPU_KDA_DECODE_LAUNCHER_H_
#define SAMEBITS_GPU_KDA_DECODE_LAUNCHER_H_

#include <span>

#include "gpu/device_kernel.h"
#include "gpu/kda_decode/params.h"
#include "model/kda_decode/config.h"

namespace samebits::gpu {

/// Contract "kda_ws.sm_90" or "kda_ws.sm_100", by the current device. LaunchInfo: `symbol` is the
/// demangled kernel, `binary_hash` MachineCodeHash of it.
const DeviceKernel& CudaKdaDecode();

namespace kda_ws {

/// A launch that is ready to be enqueued, any number of times.
struct PreparedLaunch {
  const void* kernel = nullptr;  // as cudaLaunchKernel takes it
  Params params{};
  int blocks = 0;
  int shared_bytes = 0;
};

/// Checks everything and raises the kernel's shared memory limit. Throws ConfigError or
/// EnvironmentError.
PreparedLaunch PrepareLaunch(const kda_decode::Config& config, const LaunchOptions& options,
                             std::span<void* const> addresses);
/// Enqueues on `stream` (a cudaStream_t; nullptr is the default stream). The grid before it in the
/// stream may still run and may write whatever the kernel uses but weights, bias, dt_bias, f_b,
/// a_log, slots and num_accepted, which are read before that grid is complete.
void Enqueue(const PreparedLaunch& launch, void* stream);

}  // namespace kda_ws
}  // namespace samebits::gpu

#endif  // SAMEBITS_GPU_KDA_DECODE_LAUNCHER_H_
