#include "gpu/shared_expert/multi_device_case.h"

#include <cuda_runtime_api.h>

#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "gpu/cuda/check.h"
#include "gpu/cuda/device.h"
#include "gpu/shared_expert/case_memory.h"
#include "gpu/shared_expert/launcher.h"
#include "gpu/shared_expert/placement.h"
#include "model/shared_expert/axes.h"

namespace samebits::gpu::shared_expert {

using samebits::shared_expert::Config;

namespace {

struct DestroyEvent {
  void operator()(cudaEvent_t event) const { cudaEventDestroy(event); }
};
using Event = std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, DestroyEvent>;

/// Happens when all that the current device's default stream has so far is done.
Event RecordEvent() {
  cudaEvent_t event = nullptr;
  CheckCuda(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "event");
  Event owned(event);
  CheckCuda(cudaEventRecord(event, nullptr), "event");
  return owned;
}
/// What comes next in the current device's default stream waits for an event of any device.
void WaitFor(const Event& event) {
  CheckCuda(cudaStreamWaitEvent(nullptr, event.get(), 0), "wait for another device");
}

class SpreadCase {
 public:
  SpreadCase(const CaseMemory& memory, const LaunchOptions& options)
      : memory_(memory), options_(options) {}

  LaunchInfo Run() {
    Prepare();
    Synchronize();  // uploads and exchange buffers
    for (int step = 0; step < config().steps; ++step) EnqueueStep(step);
    Synchronize();
    return DescribeLaunches(described_);
  }

 private:
  struct Placed {
    int device;
    std::vector<PreparedLaunch> launches;
  };
  struct Step {
    std::vector<Placed> ranks;
    PreparedLaunch consumer;
  };

  const Config& config() const { return memory_.config(); }

  void Prepare() {
    memory_.Check(DownBlocks(config(), options_));
    for (int device = 0; device < memory_.devices(); ++device) {
      const DeviceScope scope(device);
      exchanges_.push_back(NewExchange(config()));
    }
    for (int step = 0; step < config().steps; ++step) {
      Step& prepared = steps_.emplace_back();
      for (int index = 0; index < config().ranks(); ++index) {
        prepared.ranks.push_back(PrepareOnDevice({step, index}));
      }
      if (!config().consumer) continue;
      prepared.consumer = PrepareConsumer(memory_, step);
      Described({prepared.consumer});
    }
  }

  Placed PrepareOnDevice(LaunchPoint point) {
    const int device = memory_.device_of(point);
    const DeviceScope scope(device);
    Placed placed{device, PrepareRank(memory_, point, exchanges_[device].get(), options_, false)};
    Described(placed.launches);
    return placed;
  }

  void Described(const std::vector<PreparedLaunch>& launches) {
    described_.insert(described_.end(), launches.begin(), launches.end());
  }

  /// The consumer waits for all ranks of its step. It empties the half that it has read, which the
  /// ranks of the step after the next write again; the next step has the other half.
  void EnqueueStep(int step) {
    const Step& prepared = steps_[static_cast<size_t>(step)];
    if (config().consumer && step >= 2) AwaitConsumer(step - 2);
    for (const Placed& placed : prepared.ranks) {
      const DeviceScope scope(placed.device);
      for (const PreparedLaunch& launch : placed.launches) Enqueue(launch, nullptr);
    }
    if (config().consumer) EnqueueConsumer(prepared.consumer);
  }

  void AwaitConsumer(int step) {
    for (int device = 0; device < memory_.devices(); ++device) {
      const DeviceScope scope(device);
      WaitFor(consumed_[static_cast<size_t>(step)]);
    }
  }

  void EnqueueConsumer(const PreparedLaunch& launch) {
    for (int device = 0; device < memory_.devices(); ++device) {
      const DeviceScope scope(device);
      pushed_.push_back(RecordEvent());
    }
    const DeviceScope scope(kConsumerDevice);
    for (auto pushed = pushed_.end() - memory_.devices(); pushed != pushed_.end(); ++pushed) {
      WaitFor(*pushed);
    }
    Enqueue(launch, nullptr);
    consumed_.push_back(RecordEvent());
  }

  void Synchronize() const {
    for (int device = 0; device < memory_.devices(); ++device) {
      const DeviceScope scope(device);
      CheckCuda(cudaDeviceSynchronize(), "kernel");
    }
  }

  const CaseMemory& memory_;
  LaunchOptions options_;
  std::vector<std::shared_ptr<void>> exchanges_;  // per device
  std::vector<Step> steps_;
  std::vector<PreparedLaunch> described_;
  std::vector<Event> pushed_;    // per step and device
  std::vector<Event> consumed_;  // per step
};

class CudaRanks : public PlacedRanks {
 public:
  LaunchInfo Launch(const Settings& settings, const LaunchOptions& options,
                    std::span<const std::vector<void*>> addresses) const override {
    const Config config = samebits::shared_expert::ReadConfig(settings);
    config.validate();
    const CaseMemory memory(config, options.taps, addresses);
    return SpreadCase(memory, options).Run();
  }
};

}  // namespace

const RankedKernel& CudaSharedExpertRanks() {
  static const CudaRanks ranks;
  return ranks;
}

}  // namespace samebits::gpu::shared_expert
