// One case whose ranks several devices share.
#ifndef SAMEBITS_HARNESS_RUN_ON_DEVICES_H_
#define SAMEBITS_HARNESS_RUN_ON_DEVICES_H_

#include "harness/run_on_backend.h"

namespace samebits::harness {

/// RunOnBackend for a target with several devices, whose kernel has ranks. Every device gets an
/// image of the whole plan in which only its own slices and what all share hold inputs; the rest is
/// poisoned. The result is what the devices have in their slices. A changed byte outside them is a
/// trespass, "device 1: mailbox outside its slices", as are those of RunOnBackend.
RunResult RunOnDevices(const Kernel& kernel, const Target& target, const Settings& config,
                       const TensorSet& inputs, const gpu::LaunchOptions& options);

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_RUN_ON_DEVICES_H_
