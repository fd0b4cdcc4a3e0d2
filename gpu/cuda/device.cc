#include "gpu/cuda/device.h"

#include <cuda_runtime_api.h>

#include "gpu/cuda/check.h"

namespace samebits::gpu {
namespace {

int Attribute(cudaDeviceAttr attribute) {
  int device = 0, value = 0;
  CheckCuda(cudaGetDevice(&device), "current device");
  CheckCuda(cudaDeviceGetAttribute(&value, attribute, device), "device attribute");
  return value;
}

/// 13000 -> "13.0".
std::string VersionText(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

class CudaDevice : public Device {
 public:
  CudaDevice() {
    int version = 0;
    cudaDeviceProp properties;
    CheckCuda(cudaGetDevice(&device_), "current device");
    CheckCuda(cudaGetDeviceProperties(&properties, device_), "device properties");
    info_.name = properties.name;
    info_.architecture = CudaArchitectureName(CudaArchitecture());
    CheckCuda(cudaDriverGetVersion(&version), "driver version");
    info_.driver = "CUDA " + VersionText(version);
    CheckCuda(cudaRuntimeGetVersion(&version), "runtime version");
    info_.runtime = "CUDA " + VersionText(version);
  }

  const DeviceInfo& info() const override { return info_; }

  std::shared_ptr<void> Allocate(int64_t bytes) override {
    const DeviceScope scope(device_);
    void* memory = nullptr;
    CheckCuda(cudaMalloc(&memory, static_cast<size_t>(bytes > 0 ? bytes : 1)),
              "allocating " + std::to_string(bytes) + " bytes");
    return {memory, [](void* p) { cudaFree(p); }};
  }

  void Upload(void* device, const void* host, int64_t bytes) override {
    const DeviceScope scope(device_);
    CheckCuda(cudaMemcpy(device, host, static_cast<size_t>(bytes), cudaMemcpyHostToDevice),
              "upload");
  }

  void Download(void* host, const void* device, int64_t bytes) override {
    const DeviceScope scope(device_);
    CheckCuda(cudaMemcpy(host, device, static_cast<size_t>(bytes), cudaMemcpyDeviceToHost),
              "download");
  }

  void Synchronize() override {
    const DeviceScope scope(device_);
    CheckCuda(cudaDeviceSynchronize(), "kernel");
  }

 private:
  int device_ = 0;
  DeviceInfo info_;
};

}  // namespace

int CudaArchitecture() {
  return 10 * Attribute(cudaDevAttrComputeCapabilityMajor) +
         Attribute(cudaDevAttrComputeCapabilityMinor);
}

int CudaMultiprocessors() { return Attribute(cudaDevAttrMultiProcessorCount); }

std::string CudaArchitectureName(int architecture) {
  return architecture / 10 == 10 ? "sm_100" : "sm_" + std::to_string(architecture);
}

DeviceScope::DeviceScope(int device) {
  CheckCuda(cudaGetDevice(&before_), "current device");
  if (device != before_) CheckCuda(cudaSetDevice(device), "device " + std::to_string(device));
}

DeviceScope::~DeviceScope() { cudaSetDevice(before_); }

std::unique_ptr<Device> OpenCudaDevice() { return std::make_unique<CudaDevice>(); }

}  // namespace samebits::gpu
