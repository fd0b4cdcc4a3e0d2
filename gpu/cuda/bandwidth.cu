#include <cuda_runtime_api.h>

#include <memory>

#include "gpu/cuda/bandwidth.h"
#include "gpu/cuda/check.h"
#include "gpu/cuda/graph_timer.h"

namespace samebits::gpu {
namespace {

constexpr int kThreads = 512;
constexpr int kLoads = 4;  // in flight per thread

__global__ void __launch_bounds__(kThreads) Copy(const uint4* from, uint4* to, int64_t count) {
  const int64_t step = int64_t{gridDim.x} * kThreads;
  for (int64_t i = blockIdx.x * int64_t{kThreads} + threadIdx.x; i < count; i += step * kLoads) {
    uint4 value[kLoads];
#pragma unroll
    for (int j = 0; j < kLoads; ++j) {
      if (i + j * step < count) value[j] = from[i + j * step];
    }
#pragma unroll
    for (int j = 0; j < kLoads; ++j) {
      if (i + j * step < count) to[i + j * step] = value[j];
    }
  }
}

__global__ void __launch_bounds__(kThreads) Sum(const uint4* from, uint32_t* to, int64_t count) {
  const int64_t step = int64_t{gridDim.x} * kThreads;
  uint32_t sum = 0;
  for (int64_t i = blockIdx.x * int64_t{kThreads} + threadIdx.x; i < count; i += step * kLoads) {
    uint4 value[kLoads] = {};
#pragma unroll
    for (int j = 0; j < kLoads; ++j) {
      if (i + j * step < count) value[j] = from[i + j * step];
    }
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
  const int blocks = 4 * processors;
  const int64_t count = bytes / static_cast<int64_t>(sizeof(uint4));
  const auto from = Allocate(bytes), to = Allocate(bytes);
  const auto sums = Allocate(int64_t{blocks} * kThreads * 4);
  CheckCuda(cudaDeviceSynchronize(), "filling bandwidth buffers");
  const auto* source = static_cast<const uint4*>(from.get());
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
  const double moved = 1e6 * static_cast<double>(count * static_cast<int64_t>(sizeof(uint4)));
  return {.read = moved / Median(read), .copy = 2 * moved / Median(copy)};
}

}  // namespace samebits::gpu
