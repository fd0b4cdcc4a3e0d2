// The probe kernels on a CUDA device.
#include <cuda_runtime_api.h>

#include <cstring>

#include "gpu/cuda/check.h"
#include "gpu/cuda/device.h"
#include "gpu/probe/dispatch.h"
#include "gpu/probe/kernels.cuh"
#include "gpu/probe/lane_cuda.cuh"
#include "gpu/probe/prober.h"

namespace samebits::gpu::probe {
namespace {

// Kernels take the operation as an int: nvcc 13.0 fails on an enumeration there.
template <int kOperation>
__global__ void __launch_bounds__(kThreads)
    FingerprintKernel(const uint16_t* blocks, uint64_t* sums) {
  FingerprintBlock<static_cast<Unary>(kOperation)>(CudaProbeLane(), blocks, sums);
}
template <int kOperation>
__global__ void __launch_bounds__(kThreads) UnaryKernel(const uint32_t* x, uint32_t* y, int n) {
  EvaluateUnary<static_cast<Unary>(kOperation)>(CudaProbeLane(), x, y, n);
}
template <int kOperation>
__global__ void __launch_bounds__(kThreads)
    ScalarKernel(const float* a, const float* b, const float* c, uint32_t* y, int n) {
  EvaluateScalar<static_cast<Scalar>(kOperation)>(CudaProbeLane(), a, b, c, y, n);
}
__global__ void __launch_bounds__(32)
    MmaKernel(const uint16_t* a, const uint16_t* b, const float* c, float* d) {
  MmaTile(CudaProbeLane(), a, b, c, d);
}
__global__ void __launch_bounds__(128)
    WgmmaKernel(const uint16_t* a, const uint16_t* b, const float* c, float* d) {
  WgmmaTile(CudaProbeLane(), a, b, c, d);
}

constexpr MatrixOperation kOperations[] = {{"mma.sync.m16n8k16", 16, 8, 16},
                                           {"wgmma.m64n8k16", 64, 8, 16}};

class CudaProber : public Prober {
 public:
  CudaProber() : device_(OpenCudaDevice()) {
    // wgmma exists on sm_90 alone.
    matrix_ = std::span(kOperations).first(CudaArchitecture() == 90 ? 2 : 1);
    int device = 0, kilohertz = 0;
    CheckCuda(cudaGetDevice(&device), "current device");
    CheckCuda(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, device), "clock rate");
    clock_mhz_ = kilohertz / 1000;
  }
  const DeviceInfo& info() const override { return device_->info(); }
  Vendor vendor() const override { return Vendor::kNvidia; }
  int clock_mhz() const override { return clock_mhz_; }
  std::span<const MatrixOperation> matrix_operations() const override { return matrix_; }

  std::vector<uint64_t> Fingerprints(Unary operation, std::span<const uint16_t> blocks) override {
    const auto device_blocks = Upload(blocks);
    const auto sums = device_->Allocate(static_cast<int64_t>(blocks.size()) * 8);
    DispatchUnary(operation, [&](auto constant) {
      FingerprintKernel<static_cast<int>(decltype(constant)::value)>
          <<<static_cast<unsigned>(blocks.size()), kThreads, kThreads * 8>>>(
              static_cast<const uint16_t*>(device_blocks.get()),
              static_cast<uint64_t*>(sums.get()));
    });
    return Results<uint64_t>(sums.get(), blocks.size());
  }

  std::vector<uint32_t> Evaluate(Unary operation, std::span<const uint32_t> x) override {
    const auto device_x = Upload(x);
    const auto y = device_->Allocate(static_cast<int64_t>(x.size_bytes()));
    DispatchUnary(operation, [&](auto constant) {
      UnaryKernel<static_cast<int>(decltype(constant)::value)><<<Blocks(x.size()), kThreads>>>(
          static_cast<const uint32_t*>(device_x.get()), static_cast<uint32_t*>(y.get()),
          static_cast<int>(x.size()));
    });
    return Results<uint32_t>(y.get(), x.size());
  }

  std::vector<uint32_t> Evaluate(Scalar operation, std::span<const float> a,
                                 std::span<const float> b, std::span<const float> c) override {
    const auto device_a = Upload(a), device_b = Upload(b), device_c = Upload(c);
    const auto y = device_->Allocate(static_cast<int64_t>(a.size_bytes()));
    DispatchScalar(operation, [&](auto constant) {
      ScalarKernel<static_cast<int>(decltype(constant)::value)><<<Blocks(a.size()), kThreads>>>(
          static_cast<const float*>(device_a.get()), static_cast<const float*>(device_b.get()),
          static_cast<const float*>(device_c.get()), static_cast<uint32_t*>(y.get()),
          static_cast<int>(a.size()));
    });
    return Results<uint32_t>(y.get(), a.size());
  }

  std::vector<uint32_t> Multiply(size_t i, const Tiles& tiles) override {
    const auto a = Upload(std::span(tiles.a));
    const auto b = Upload(std::span(tiles.b));
    const auto c = Upload(std::span(tiles.c));
    const auto d = device_->Allocate(static_cast<int64_t>(tiles.c.size() * sizeof(float)));
    const bool warpgroup = matrix_[i].m == 64;
    (warpgroup ? WgmmaKernel
               : MmaKernel)<<<static_cast<unsigned>(tiles.count), warpgroup ? 128 : 32,
                              warpgroup ? kWgmmaSharedBytes : 0>>>(
        static_cast<const uint16_t*>(a.get()), static_cast<const uint16_t*>(b.get()),
        static_cast<const float*>(c.get()), static_cast<float*>(d.get()));
    return Results<uint32_t>(d.get(), tiles.c.size());
  }

 private:
  static unsigned Blocks(size_t n) { return static_cast<unsigned>((n + kThreads - 1) / kThreads); }

  template <typename T>
  std::shared_ptr<void> Upload(std::span<const T> values) {
    auto memory = device_->Allocate(static_cast<int64_t>(values.size_bytes()));
    device_->Upload(memory.get(), values.data(), static_cast<int64_t>(values.size_bytes()));
    return memory;
  }

  template <typename T>
  std::vector<T> Results(const void* device, size_t n) {
    CheckCuda(cudaGetLastError(), "launch of a probe");
    device_->Synchronize();
    std::vector<T> values(n);
    device_->Download(values.data(), device, static_cast<int64_t>(n * sizeof(T)));
    return values;
  }

  std::unique_ptr<Device> device_;
  std::span<const MatrixOperation> matrix_;
  int clock_mhz_ = 0;
};

}  // namespace

std::unique_ptr<Prober> OpenCudaProber() { return std::make_unique<CudaProber>(); }

}  // namespace samebits::gpu::probe
