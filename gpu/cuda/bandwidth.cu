#include <cuda_runtime_api.h>

#include <algorithm>
#include <memory>

#include "gpu/cuda/bandwidth.h"
#include "gpu/cuda/check.h"
#include "gpu/cuda/graph_timer.h"

namespace samebits::gpu {
namespace {

constexpr int kThreads = 512;
constexpr int kLoads = 8;  // in flight per thread
constexpr int kMaxBlocksPerProcessor = 32;

/// Both kernels: kLoads vectors of 16 bytes per thread and step, the loads of a step all in flight.
/// `count` is a multiple of kThreads * kLoads.
__global__ void __launch_bounds__(kThreads) Copy(const uint4* from, uint4* to, int64_t count) {
  constexpr int64_t kStep = int64_t{kThreads} * kLoads;
  for (int64_t i = blockIdx.x * kStep; i < count; i += gridDim.x * kStep) {
    uint4 value[kLoads];
#pragma unroll
    for (int j = 0; j < kLoads; ++j) value[j] = __ldcs(from + i + j * kThreads + threadIdx.x);
#pragma unroll
    for (int j = 0; j < kLoads; ++j) __stcs(to + i + j * kThreads + threadIdx.x, value[j]);
  }
}

__global__ void __launch_bounds__(kThreads) Sum(const uint4* from, uint32_t* to, int64_t count) {
  constexpr int64_t kStep = int64_t{kThreads} * kLoads;
  uint32_t sum = 0;
  for (int64_t i = blockIdx.x * kStep; i < count; i += gridDim.x * kStep) {
    uint4 value[kLoads];
#pragma unroll
    for (int j = 0; j < kLoads; ++j) value[j] = __ldcs(from + i + j * kThreads + threadIdx.x);
#pragma unroll
    for (int j = 0; j < kLoads; ++j) sum += value[j].x + value[j].y + value[j].z + value[j].w;
  }
  to[blockIdx.x * kThreads + threadIdx.x] = sum;
}

std::shared_ptr<void> Allocate(int64_t bytes) {
  void* memory = nullptr;
  CheckCuda(cudaMalloc(&memory, static_cast<size_t>(bytes)), "allocating bandwidth buffers");
  CheckCuda(cudaMemset(memory, 1, static_cast<size_t>(bytes)), "filling bandwidth buffers");
  return {memory, [](void* p) { cudaFree(p); }};
}

}  // namespace

Bandwidth MeasureBandwidth(int64_t bytes, int replays) {
  int device = 0, processors = 0;
  CheckCuda(cudaGetDevice(&device), "current device");
  CheckCuda(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device),
            "number of multiprocessors");
  constexpr int64_t kStepBytes = int64_t{kThreads} * kLoads * sizeof(uint4);
  bytes = bytes / kStepBytes * kStepBytes;
  const int64_t count = bytes / static_cast<int64_t>(sizeof(uint4));
  const auto from = Allocate(bytes), to = Allocate(bytes);
  const auto sums = Allocate(int64_t{kMaxBlocksPerProcessor} * processors * kThreads * 4);
  CheckCuda(cudaDeviceSynchronize(), "filling bandwidth buffers");
  const auto* source = static_cast<const uint4*>(from.get());
  Bandwidth best{};
  for (int per_processor = 2; per_processor <= kMaxBlocksPerProcessor; per_processor *= 2) {
    const int blocks = per_processor * processors;
    const auto copy = TimeGraph(
        [&](void* stream) {
          Copy<<<blocks, kThreads, 0, static_cast<cudaStream_t>(stream)>>>(
              source, static_cast<uint4*>(to.get()), count);
          CheckCuda(cudaGetLastError(), "launch");
        },
        replays);
    const auto read = TimeGraph(
        [&](void* stream) {
          Sum<<<blocks, kThreads, 0, static_cast<cudaStream_t>(stream)>>>(
              source, static_cast<uint32_t*>(sums.get()), count);
          CheckCuda(cudaGetLastError(), "launch");
        },
        replays);
    const double moved = 1e6 * static_cast<double>(bytes);
    best.read = std::max(best.read, moved / Median(read));
    best.copy = std::max(best.copy, 2 * moved / Median(copy));
  }
  return best;
}

}  // namespace samebits::gpu
