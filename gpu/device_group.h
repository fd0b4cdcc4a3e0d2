// Whether several devices can share the ranks of a case.
#ifndef SAMEBITS_GPU_DEVICE_GROUP_H_
#define SAMEBITS_GPU_DEVICE_GROUP_H_

#include <span>
#include <string>
#include <vector>

namespace samebits::gpu {

/// What one device of a machine says.
struct DeviceFacts {
  std::string architecture;   // "sm_90"
  std::vector<bool> reaches;  // [other device]: it can access its memory; itself: true
};

/// Why the first `count` of the devices cannot share a case, in one line; empty if they can: too
/// few, of different architectures, or one that cannot access another's memory.
std::string GroupProblem(std::span<const DeviceFacts> devices, int count);

}  // namespace samebits::gpu

#endif  // SAMEBITS_GPU_DEVICE_GROUP_H_
