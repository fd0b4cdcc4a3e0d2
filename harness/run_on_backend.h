// One launch on memory that is poisoned everywhere but in the inputs.
#ifndef SAMEBITS_HARNESS_RUN_ON_BACKEND_H_
#define SAMEBITS_HARNESS_RUN_ON_BACKEND_H_

#include <vector>

#include "golden/memory_image.h"
#include "gpu/device_kernel.h"
#include "harness/backends.h"
#include "model/kernel.h"

namespace samebits::harness {

struct RunResult {
  TensorSet tensors;  // taps in dataflow order (with taps), outputs
  std::vector<golden::Trespass> trespasses;
  gpu::LaunchInfo launch;
};

/// Uploads every allocation of the plan inside guard zones, outputs poisoned, launches once, and
/// downloads everything. A trespass is a changed byte of a guard zone, of a gap between elements,
/// or of an input that is not updated in place. Throws ConfigError if the kernel cannot run
/// `config`, gpu::EnvironmentError if the launch fails.
RunResult RunOnBackend(const Kernel& kernel, const Target& target, const Settings& config,
                       const TensorSet& inputs, const gpu::LaunchOptions& options);

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_RUN_ON_BACKEND_H_
