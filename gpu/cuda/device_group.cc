#include "gpu/cuda/device_group.h"

#include <cuda_runtime_api.h>

#include <string>

#include "gpu/cuda/check.h"
#include "gpu/cuda/device.h"

namespace samebits::gpu {
namespace {

int Attribute(cudaDeviceAttr attribute, int device) {
  int value = 0;
  CheckCuda(cudaDeviceGetAttribute(&value, attribute, device), "device attribute");
  return value;
}

bool Reaches(int device, int other) {
  if (device == other) return true;
  int can = 0;
  CheckCuda(cudaDeviceCanAccessPeer(&can, device, other), "peer access");
  return can != 0;
}

/// From the current device.
void EnablePeerAccess(int other) {
  const cudaError_t error = cudaDeviceEnablePeerAccess(other, 0);
  if (error == cudaErrorPeerAccessAlreadyEnabled) {
    cudaGetLastError();  // clears it
    return;
  }
  CheckCuda(error, "peer access to device " + std::to_string(other));
}

}  // namespace

std::vector<DeviceFacts> CudaDeviceFacts() {
  int count = 0;
  CheckCuda(cudaGetDeviceCount(&count), "number of devices");
  std::vector<DeviceFacts> list(static_cast<size_t>(count));
  for (int d = 0; d < count; ++d) {
    list[d].architecture =
        CudaArchitectureName(10 * Attribute(cudaDevAttrComputeCapabilityMajor, d) +
                             Attribute(cudaDevAttrComputeCapabilityMinor, d));
    for (int other = 0; other < count; ++other) list[d].reaches.push_back(Reaches(d, other));
  }
  return list;
}

std::vector<std::unique_ptr<Device>> OpenCudaDevices(int count) {
  const std::string problem = GroupProblem(CudaDeviceFacts(), count);
  if (!problem.empty()) throw EnvironmentError("CUDA: " + problem);
  std::vector<std::unique_ptr<Device>> devices;
  for (int d = 0; d < count; ++d) {
    const DeviceScope scope(d);
    devices.push_back(OpenCudaDevice());
    for (int other = 0; other < count; ++other) {
      if (other != d) EnablePeerAccess(other);
    }
  }
  return devices;
}

}  // namespace samebits::gpu
