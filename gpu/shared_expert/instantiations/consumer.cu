#include "gpu/lane/cuda.cuh"
#include "gpu/shared_expert/consumer.cuh"
#include "gpu/shared_expert/kernels.h"

namespace samebits::gpu::shared_expert {
namespace {

__global__ void __launch_bounds__(kConsumerThreads)
    ConsumerKernelEntry(const __grid_constant__ ConsumerParams params) {
  Consume(CudaLane{}, params);
}

}  // namespace

const void* ConsumerKernel() { return reinterpret_cast<const void*>(&ConsumerKernelEntry); }

}  // namespace samebits::gpu::shared_expert
