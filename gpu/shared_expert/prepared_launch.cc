#include "gpu/shared_expert/prepared_launch.h"

#include <cuda_runtime_api.h>

#include <string>

#include "gpu/cuda/check.h"
#include "gpu/cuda/device.h"

namespace samebits::gpu::shared_expert {
namespace {

constexpr int kPortableCluster = 8;

/// The arguments of cudaLaunchKernelExC; must outlive their use.
class LaunchAttributes {
 public:
  cudaLaunchConfig_t Configure(const PreparedLaunch& launch, void* stream) {
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(launch.blocks);
    config.blockDim = dim3(launch.threads);
    config.dynamicSmemBytes = static_cast<size_t>(launch.shared_bytes);
    config.stream = static_cast<cudaStream_t>(stream);
    if (launch.overlap) {
      attributes_[config.numAttrs].id = cudaLaunchAttributeProgrammaticStreamSerialization;
      attributes_[config.numAttrs++].val.programmaticStreamSerializationAllowed = 1;
    }
    if (launch.cluster > 1) {
      attributes_[config.numAttrs].id = cudaLaunchAttributeClusterDimension;
      attributes_[config.numAttrs++].val.clusterDim = {static_cast<unsigned>(launch.cluster), 1, 1};
    }
    config.attrs = attributes_;
    return config;
  }

 private:
  cudaLaunchAttribute attributes_[2];
};

}  // namespace

void Enqueue(const PreparedLaunch& launch, void* stream) {
  LaunchAttributes attributes;
  const cudaLaunchConfig_t config = attributes.Configure(launch, stream);
  std::visit(
      [&](const auto& params) {
        void* arguments[] = {const_cast<void*>(static_cast<const void*>(&params))};
        CheckCuda(cudaLaunchKernelExC(&config, launch.kernel, arguments), "launch");
      },
      launch.params);
}

void AllowResources(const PreparedLaunch& launch) {
  CheckCuda(cudaFuncSetAttribute(launch.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 launch.shared_bytes),
            "shared memory of " + std::to_string(launch.shared_bytes) + " bytes");
  // Blocks of other kernels share the multiprocessor: the driver must not size its shared memory for
  // this one alone.
  CheckCuda(cudaFuncSetAttribute(launch.kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                 cudaSharedmemCarveoutMaxShared),
            "shared memory");
  if (launch.cluster > kPortableCluster) {
    CheckCuda(
        cudaFuncSetAttribute(launch.kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1),
        "clusters of " + std::to_string(launch.cluster) + " blocks");
  }
}

int ResidentBlocks(const PreparedLaunch& launch) {
  if (launch.cluster == 1) {
    int per_processor = 0;
    CheckCuda(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_processor, launch.kernel, launch.threads,
                                                      static_cast<size_t>(launch.shared_bytes)),
        "occupancy");
    return per_processor * CudaMultiprocessors();
  }
  LaunchAttributes attributes;
  const cudaLaunchConfig_t config = attributes.Configure(launch, nullptr);
  int clusters = 0;
  CheckCuda(cudaOccupancyMaxActiveClusters(&clusters, launch.kernel, &config), "occupancy");
  return clusters * launch.cluster;
}

void RequireResident(const PreparedLaunch& launch) {
  if (const int resident = ResidentBlocks(launch); resident < launch.blocks) {
    throw EnvironmentError("shared_expert: " + std::to_string(launch.blocks) +
                           " blocks wait for each other, this device runs " +
                           std::to_string(resident) + " at once");
  }
}

}  // namespace samebits::gpu::shared_expert
