// What the harness knows of the kernels that run on a device: one entry per (backend, kernel).
#ifndef SAMEBITS_GPU_DEVICE_KERNEL_H_
#define SAMEBITS_GPU_DEVICE_KERNEL_H_

#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "model/contract.h"

namespace samebits::gpu {

/// No device, wrong architecture, missing library, failed launch. The command line exits with
/// status 3.
class EnvironmentError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct DeviceInfo {
  std::string name;          // "NVIDIA H200", or what executes the kernel source
  std::string architecture;  // "sm_90"
  std::string driver;        // version text, empty for an executor on the CPU
  std::string runtime;
};

/// Memory of a device and the order of operations on it. All functions throw EnvironmentError.
class Device {
 public:
  virtual ~Device() = default;
  virtual const DeviceInfo& info() const = 0;
  /// At least 256-byte aligned. Freed with the returned handle.
  virtual std::shared_ptr<void> Allocate(int64_t bytes) = 0;
  virtual void Upload(void* device, const void* host, int64_t bytes) = 0;
  virtual void Download(void* host, const void* device, int64_t bytes) = 0;
  /// Waits for every launch; reports asynchronous errors.
  virtual void Synchronize() = 0;
};

/// What a machine has for one backend.
struct DeviceGroup {
  int count = 1;
  std::string problem;  // why they cannot share the ranks of a case, in one line; empty: they can
};

struct LaunchOptions {
  bool taps = false;
  int ctas = 0;           // 0: one per multiprocessor (at most one per item)
  uint64_t schedule = 0;  // CPU executor: seed of the order of threads and completions
};

struct LaunchInfo {
  std::string symbol;       // the kernel that was launched
  std::string binary_hash;  // of its machine code (or of its source, on the CPU executor)
};

/// A piece of an allocation, on the device whose launches may read and write it.
struct RankSlice {
  int allocation = 0;  // of the kernel's plan
  int64_t offset = 0;  // bytes
  int64_t bytes = 0;
  int device = 0;
  bool operator==(const RankSlice&) const = default;
};

/// A kernel with ranks that store to each other's memory, which devices of one machine can share.
/// Every device has memory for the whole plan; what a device has no slice of stays as it is there.
class RankedKernel {
 public:
  virtual ~RankedKernel() = default;
  /// The axis whose value is the number of ranks; a case may run some of them alone.
  virtual std::string_view rank_axis() const = 0;
  /// Who has what of the kernel's plan. Slices do not overlap. An allocation without any is an
  /// input that every device has.
  virtual std::vector<RankSlice> Placement(const Settings& config, bool taps,
                                           int devices) const = 0;
  /// As DeviceKernel::Launch, on the first addresses.size() devices of Backend::OpenDevices:
  /// addresses[d][i] is memory of device d for allocation i. Runs to the end.
  virtual LaunchInfo Launch(const Settings& config, const LaunchOptions& options,
                            std::span<const std::vector<void*>> addresses) const = 0;
};

/// One kernel of one backend.
class DeviceKernel {
 public:
  virtual ~DeviceKernel() = default;
  virtual std::string_view kernel() const = 0;  // as model/kernel.h names it
  /// The contract whose bits this kernel computes on this device's architecture.
  virtual std::string_view contract() const = 0;
  /// Enqueues one launch. `config` is complete; addresses[i] is device memory for allocation i of
  /// the kernel's plan. Throws ConfigError for a configuration that the kernel cannot run.
  virtual LaunchInfo Launch(const Settings& config, const LaunchOptions& options,
                            std::span<void* const> addresses) const = 0;
  /// nullptr: it runs on one device.
  virtual const RankedKernel* ranked() const { return nullptr; }
};

/// A way to run kernels: "cuda", "hip" or "simt".
class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string_view name() const = 0;
  /// Empty if it can run here, else the reason in one line.
  virtual std::string unavailable() const = 0;
  virtual std::unique_ptr<Device> Open() const = 0;
  /// The devices that are here; throws EnvironmentError.
  virtual DeviceGroup group() const { return {}; }
  /// The first `count` devices, each able to access the memory of the others. Throws
  /// EnvironmentError if there are fewer, or one cannot.
  virtual std::vector<std::unique_ptr<Device>> OpenDevices(int count) const {
    if (count != 1) {
      throw EnvironmentError("expected " + std::to_string(count) + " devices, found 1");
    }
    std::vector<std::unique_ptr<Device>> devices;
    devices.push_back(Open());
    return devices;
  }
  virtual std::span<const DeviceKernel* const> kernels() const = 0;
};

/// Every backend that this build contains, best first.
std::span<const Backend* const> Backends();

}  // namespace samebits::gpu

#endif  // SAMEBITS_GPU_DEVICE_KERNEL_H_
