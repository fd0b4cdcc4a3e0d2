#include "gpu/device_group.h"

namespace samebits::gpu {

std::string GroupProblem(std::span<const DeviceFacts> devices, int count) {
  const size_t wanted = static_cast<size_t>(count);
  if (wanted > devices.size()) {
    return "expected " + std::to_string(count) + " devices, found " +
           std::to_string(devices.size());
  }
  for (size_t d = 1; d < wanted; ++d) {
    if (devices[d].architecture == devices[0].architecture) continue;
    return "device " + std::to_string(d) + " is " + devices[d].architecture + ", device 0 is " +
           devices[0].architecture + ": a case runs on one architecture";
  }
  for (size_t d = 0; d < wanted; ++d) {
    for (size_t other = 0; other < wanted; ++other) {
      if (devices[d].reaches[other]) continue;
      return "device " + std::to_string(d) + " cannot access the memory of device " +
             std::to_string(other) + " (no peer access)";
    }
  }
  return "";
}

}  // namespace samebits::gpu
