#include "gpu/shared_expert/launcher.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <string>
#include <utility>

#include "gpu/cuda/check.h"
#include "gpu/cuda/device.h"
#include "gpu/cuda/kernel_name.h"
#include "gpu/cuda/machine_code.h"
#include "gpu/cuda/tensor_map.h"
#include "gpu/shared_expert/case_memory.h"
#include "gpu/shared_expert/kernels.h"
#include "gpu/shared_expert/multi_device_case.h"
#include "model/shared_expert/axes.h"
#include "model/shared_expert/kernel.h"

namespace samebits::gpu {
namespace shared_expert {

using samebits::shared_expert::Config;
using samebits::shared_expert::Variant;

namespace {

bool IsBlackwell() { return CudaArchitecture() / 10 == 10; }

std::shared_ptr<void> Allocate(int64_t bytes) {
  void* memory = nullptr;
  CheckCuda(cudaMalloc(&memory, static_cast<size_t>(bytes)), "allocating exchange buffers");
  return {memory, [](void* p) { cudaFree(p); }};
}
/// Asynchronous, in the default stream.
void EmptyExchange(const Config& config, void* memory) {
  CheckCuda(cudaMemsetAsync(memory, 0xFF, static_cast<size_t>(ExchangeSize(config))), "exchange");
  CheckCuda(cudaMemsetAsync(memory, 0, kTicketBytes), "exchange");
}

class Launcher : public DeviceKernel {
 public:
  std::string_view kernel() const override { return "shared_expert"; }

  std::string_view contract() const override {
    return IsBlackwell() ? "shared_expert.sm_100" : "shared_expert.sm_90";
  }

  LaunchInfo Launch(const Settings& settings, const LaunchOptions& options,
                    std::span<void* const> addresses) const override {
    const Config config = samebits::shared_expert::ReadConfig(settings);
    void* exchange = ExchangeFor(config);
    const auto launches = PrepareCase(config, options, addresses, exchange, true);
    for (const PreparedLaunch& launch : launches) Enqueue(launch, nullptr);
    return DescribeLaunches(launches);
  }
  const RankedKernel* ranked() const override { return &CudaSharedExpertRanks(); }

 private:
  /// Launches go to one stream, so that one exchange serves all of them.
  void* ExchangeFor(const Config& config) const {
    const int64_t bytes = ExchangeSize(config);
    if (bytes > exchange_bytes_) {
      CheckCuda(cudaDeviceSynchronize(), "launches before");
      exchange_ = Allocate(bytes);
      exchange_bytes_ = bytes;
    }
    EmptyExchange(config, exchange_.get());
    return exchange_.get();
  }

  mutable std::shared_ptr<void> exchange_;
  mutable int64_t exchange_bytes_ = 0;
};

}  // namespace

std::shared_ptr<void> NewExchange(const Config& config) {
  auto memory = Allocate(ExchangeSize(config));
  EmptyExchange(config, memory.get());
  CheckCuda(cudaDeviceSynchronize(), "exchange");
  return memory;
}

std::vector<PreparedLaunch> PrepareRank(const CaseMemory& memory, LaunchPoint point, void* exchange,
                                        const LaunchOptions& options, bool overlap) {
  const Config& config = memory.config();
  LaunchRequest request{.config = config,
                        .operands = memory.operands(memory.device_of(point)),
                        .point = point,
                        .params = memory.ParamsOf(point, EncodeCudaTensorMap),
                        .taps = options.taps,
                        .overlap = overlap};
  request.params.exchange = PlaceExchange(config, exchange);
  const bool blackwell = IsBlackwell();
  std::vector<PreparedLaunch> launches = {blackwell ? PrepareBlackwellShared(request)
                                                    : PrepareHopperShared(request)};
  if (config.variant != Variant::kFused) {
    const int blocks = DownBlocks(config, options);
    launches.push_back(blackwell ? PrepareBlackwellDown(request, blocks)
                                 : PrepareHopperDown(request, blocks));
  }
  return launches;
}

PreparedLaunch PrepareConsumer(const CaseMemory& memory, int step) {
  const Config& config = memory.config();
  const int items = config.batch * (config.geometry.width / 8);
  PreparedLaunch launch;
  launch.kernel = ConsumerKernel();
  launch.params = memory.ConsumerOf(step);
  launch.threads = kConsumerThreads;
  launch.blocks = (items + kConsumerThreads - 1) / kConsumerThreads;
  return launch;
}

std::vector<PreparedLaunch> PrepareCase(const Config& config, const LaunchOptions& options,
                                        std::span<void* const> addresses, void* exchange,
                                        bool overlap) {
  config.validate();
  const std::vector<void*> device(addresses.begin(), addresses.end());
  const CaseMemory memory(config, options.taps, {&device, 1});
  memory.Check(DownBlocks(config, options));
  std::vector<PreparedLaunch> launches;
  for (int step = 0; step < config.steps; ++step) {
    for (int index = 0; index < config.ranks(); ++index) {
      for (PreparedLaunch& launch :
           PrepareRank(memory, {step, index}, exchange, options, overlap)) {
        launches.push_back(std::move(launch));
      }
    }
    if (config.consumer) launches.push_back(PrepareConsumer(memory, step));
  }
  return launches;
}

LaunchInfo DescribeLaunches(std::span<const PreparedLaunch> launches) {
  LaunchInfo info;
  std::vector<const void*> named;
  for (const PreparedLaunch& launch : launches) {
    if (std::find(named.begin(), named.end(), launch.kernel) != named.end()) continue;
    named.push_back(launch.kernel);
    const std::string name = MangledKernelName(launch.kernel);
    const std::string separator = info.symbol.empty() ? "" : " + ";
    info.symbol += separator + Demangle(name);
    info.binary_hash += separator + MachineCodeHash(name, CudaArchitecture());
  }
  return info;
}

}  // namespace shared_expert

const DeviceKernel& CudaSharedExpert() {
  static const shared_expert::Launcher launcher;
  return launcher;
}

}  // namespace samebits::gpu
