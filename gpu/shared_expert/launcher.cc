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
#include "gpu/shared_expert/kernels.h"
#include "gpu/shared_expert/preconditions.h"
#include "model/shared_expert/axes.h"
#include "model/shared_expert/kernel.h"
#include "model/shared_expert/operands.h"

namespace samebits::gpu {
namespace shared_expert {

using samebits::shared_expert::Config;
using samebits::shared_expert::MakeOperands;
using samebits::shared_expert::MakeTaps;
using samebits::shared_expert::Operands;
using samebits::shared_expert::Taps;
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

class CaseBuilder {
 public:
  CaseBuilder(const Config& config, const LaunchOptions& options, std::span<void* const> addresses,
              void* exchange, bool overlap)
      : c_(config),
        options_(options),
        operands_(MakeOperands(config, addresses)),
        taps_(MakeTaps(config, options.taps, addresses)),
        exchange_(PlaceExchange(config, exchange)),
        overlap_(overlap) {}

  std::vector<PreparedLaunch> Build() {
    CheckLaunch(c_, operands_, DownBlocks());
    for (int step = 0; step < c_.steps; ++step) {
      for (int index = 0; index < c_.ranks(); ++index) AddRank({step, index});
      if (c_.consumer) AddConsumer(step);
    }
    return std::move(launches_);
  }

 private:
  int DownBlocks() const { return options_.ctas != 0 ? options_.ctas : c_.sms; }

  void AddRank(LaunchPoint point) {
    LaunchRequest request{.config = c_,
                          .operands = operands_,
                          .point = point,
                          .params = MakeParams(c_, operands_, taps_, point),
                          .taps = options_.taps,
                          .overlap = overlap_};
    const Matrices matrices = DescribeMatrices(c_, operands_, point);
    request.params.x_map = EncodeCudaTensorMap(matrices.x);
    request.params.gate_up_map = EncodeCudaTensorMap(matrices.gate_up);
    request.params.down_map = EncodeCudaTensorMap(matrices.down);
    request.params.h_map = EncodeCudaTensorMap(matrices.h);
    if (c_.has_front()) request.params.front_map = EncodeCudaTensorMap(matrices.front);
    request.params.exchange = exchange_;
    const bool blackwell = IsBlackwell();
    launches_.push_back(blackwell ? PrepareBlackwellShared(request) : PrepareHopperShared(request));
    if (c_.variant == Variant::kFused) return;
    launches_.push_back(blackwell ? PrepareBlackwellDown(request, DownBlocks())
                                  : PrepareHopperDown(request, DownBlocks()));
  }

  void AddConsumer(int step) {
    PreparedLaunch launch;
    launch.kernel = ConsumerKernel();
    launch.params = MakeConsumerParams(c_, operands_, step);
    launch.threads = kConsumerThreads;
    launch.blocks = (c_.batch * (c_.geometry.width / 8) + kConsumerThreads - 1) / kConsumerThreads;
    launches_.push_back(std::move(launch));
  }

  const Config& c_;
  LaunchOptions options_;
  Operands operands_;
  Taps taps_;
  Exchange exchange_;
  bool overlap_;
  std::vector<PreparedLaunch> launches_;
};

LaunchInfo Describe(const std::vector<PreparedLaunch>& launches) {
  LaunchInfo info;
  std::vector<const void*> named;
  for (const PreparedLaunch& launch : launches) {
    if (std::find(named.begin(), named.end(), launch.kernel) != named.end()) continue;
    named.push_back(launch.kernel);
    const std::string name = MangledKernelName(launch.kernel);
    if (info.symbol.empty()) info.binary_hash = MachineCodeHash(name, CudaArchitecture());
    info.symbol += (info.symbol.empty() ? "" : " + ") + Demangle(name);
  }
  return info;
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
    return Describe(launches);
  }

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

std::vector<PreparedLaunch> PrepareCase(const Config& config, const LaunchOptions& options,
                                        std::span<void* const> addresses, void* exchange,
                                        bool overlap) {
  config.validate();
  return CaseBuilder(config, options, addresses, exchange, overlap).Build();
}

}  // namespace shared_expert

const DeviceKernel& CudaSharedExpert() {
  static const shared_expert::Launcher launcher;
  return launcher;
}

}  // namespace samebits::gpu
