#include "gpu/kda_decode/launcher.h"

#include <cuda_runtime_api.h>

#include <algorithm>

#include "gpu/cuda/check.h"
#include "gpu/cuda/device.h"
#include "gpu/cuda/kernel_name.h"
#include "gpu/cuda/machine_code.h"
#include "gpu/kda_decode/kernels.h"
#include "gpu/kda_decode/preconditions.h"
#include "gpu/kda_decode/shared_layout.h"
#include "model/kda_decode/axes.h"
#include "model/kda_decode/kernel.h"

namespace samebits::gpu {
namespace kda_ws {
namespace {

using kda_decode::Config;

const void* SelectKernel(int tokens, bool taps) {
  using KernelFunction = const void* (*)(bool);
  static constexpr KernelFunction kKernels[kda_decode::kMaxTokens] = {
      KernelOf<1>, KernelOf<2>, KernelOf<3>, KernelOf<4>,
      KernelOf<5>, KernelOf<6>, KernelOf<7>, KernelOf<8>};
  return kKernels[tokens - 1](taps);
}

/// The kernel's blocks are persistent; without a wish, one per multiprocessor and none idle.
int Blocks(const Config& config, const LaunchOptions& options) {
  if (options.ctas != 0) return options.ctas;
  return static_cast<int>(std::min<int64_t>(CudaMultiprocessors(), config.items()));
}

class Launcher : public DeviceKernel {
 public:
  std::string_view kernel() const override { return "kda_decode"; }

  std::string_view contract() const override {
    return CudaArchitecture() / 10 == 10 ? "kda_ws.sm_100" : "kda_ws.sm_90";
  }

  LaunchInfo Launch(const Settings& settings, const LaunchOptions& options,
                    std::span<void* const> addresses) const override {
    const PreparedLaunch launch =
        PrepareLaunch(kda_decode::ReadConfig(settings), options, addresses);
    Enqueue(launch, nullptr);
    const std::string name = MangledKernelName(launch.kernel);
    return {Demangle(name), MachineCodeHash(name, CudaArchitecture())};
  }
};

}  // namespace

PreparedLaunch PrepareLaunch(const Config& config, const LaunchOptions& options,
                             std::span<void* const> addresses) {
  config.validate();
  PreparedLaunch launch;
  launch.params = MakeParams(config, kda_decode::MakeOperands(config, addresses),
                             kda_decode::MakeTaps(config, options.taps, addresses));
  launch.blocks = Blocks(config, options);
  CheckLaunch(config, launch.params.operands, launch.blocks);
  launch.kernel = SelectKernel(config.tokens, options.taps);
  launch.shared_bytes = static_cast<int>(PlaceExtras(config).total_bytes);
  CheckCuda(cudaFuncSetAttribute(launch.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 launch.shared_bytes),
            "shared memory of " + std::to_string(launch.shared_bytes) + " bytes");
  return launch;
}

void Enqueue(const PreparedLaunch& launch, void* stream) {
  void* arguments[] = {const_cast<Params*>(&launch.params)};
  // The kernel waits for the grid before it (section 7.2): its start may overlap that grid's end.
  cudaLaunchAttribute overlap{};
  overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  overlap.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(launch.blocks);
  config.blockDim = dim3(kThreads);
  config.dynamicSmemBytes = static_cast<size_t>(launch.shared_bytes);
  config.stream = static_cast<cudaStream_t>(stream);
  config.attrs = &overlap;
  config.numAttrs = 1;
  CheckCuda(cudaLaunchKernelExC(&config, launch.kernel, arguments), "launch");
}

}  // namespace kda_ws

const DeviceKernel& CudaKdaDecode() {
  static const kda_ws::Launcher launcher;
  return launcher;
}

}  // namespace samebits::gpu
