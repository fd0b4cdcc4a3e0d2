#include "harness/run_on_backend.h"

#include "harness/device_copy.h"
#include "harness/run_on_devices.h"

namespace samebits::harness {
using golden::MemoryImage;

RunResult RunOnBackend(const Kernel& kernel, const Target& target, const Settings& config,
                       const TensorSet& inputs, const gpu::LaunchOptions& options) {
  if (target.devices() > 1) return RunOnDevices(kernel, target, config, inputs, options);
  MemoryImage image(kernel.Plan(config, options.taps));
  for (const Tensor& input : inputs.tensors) image.Scatter(input);
  const DeviceCopy copy(target.device.get(), image);
  RunResult result;
  result.launch = target.kernel->Launch(config, options, copy.addresses());
  target.device->Synchronize();
  copy.Download(&image);
  result.tensors = image.GatherResults();
  result.trespasses = image.CheckUntouched(inputs);
  return result;
}

}  // namespace samebits::harness
