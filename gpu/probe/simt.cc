// The probe kernels on the executor.
#include <cstring>

#include "gpu/probe/dispatch.h"
#include "gpu/probe/kernels.cuh"
#include "gpu/probe/lane_host.h"
#include "gpu/probe/prober.h"
#include "gpu/simt/launch.h"

namespace samebits::gpu::probe {
namespace {

template <typename T>
void Add(simt::GlobalMemory* memory, const char* name, std::span<T> values) {
  memory->Add(name, values.data(), static_cast<int64_t>(values.size_bytes()));
}

int BlocksFor(size_t n) { return static_cast<int>((n + kThreads - 1) / kThreads); }

class SimtProber : public Prober {
 public:
  SimtProber(Chip chip, uint64_t schedule) : chip_(std::move(chip)), schedule_(schedule) {
    info_ = {"CPU executor as " + chip_.name, chip_.architecture, "", ""};
    for (const Chip::Matrix& matrix : chip_.matrix) operations_.push_back(matrix.operation);
  }
  const DeviceInfo& info() const override { return info_; }
  Vendor vendor() const override { return chip_.vendor; }
  int clock_mhz() const override { return 0; }
  std::span<const MatrixOperation> matrix_operations() const override { return operations_; }

  std::vector<uint64_t> Fingerprints(Unary operation, std::span<const uint16_t> blocks) override {
    std::vector<uint64_t> sums(blocks.size());
    simt::GlobalMemory memory;
    Add(&memory, "blocks", blocks);
    Add(&memory, "sums", std::span(sums));
    simt::LaunchShape shape;
    shape.blocks = static_cast<int>(blocks.size());
    shape.threads = kThreads;
    shape.shared_bytes = kThreads * 8;
    DispatchUnary(operation, [&](auto constant) {
      Launch(shape, units::MatrixUnit(), memory, [&](const HostProbeLane& lane) {
        FingerprintBlock<decltype(constant)::value>(lane, blocks.data(), sums.data());
      });
    });
    return sums;
  }

  std::vector<uint32_t> Evaluate(Unary operation, std::span<const uint32_t> x) override {
    std::vector<uint32_t> y(x.size());
    simt::GlobalMemory memory;
    Add(&memory, "x", x);
    Add(&memory, "y", std::span(y));
    DispatchUnary(operation, [&](auto constant) {
      Launch(Elementwise(x.size()), units::MatrixUnit(), memory, [&](const HostProbeLane& lane) {
        EvaluateUnary<decltype(constant)::value>(lane, x.data(), y.data(),
                                                 static_cast<int>(x.size()));
      });
    });
    return y;
  }

  std::vector<uint32_t> Evaluate(Scalar operation, std::span<const float> a,
                                 std::span<const float> b, std::span<const float> c) override {
    std::vector<uint32_t> y(a.size());
    simt::GlobalMemory memory;
    Add(&memory, "a", a);
    Add(&memory, "b", b);
    Add(&memory, "c", c);
    Add(&memory, "y", std::span(y));
    DispatchScalar(operation, [&](auto constant) {
      Launch(Elementwise(a.size()), units::MatrixUnit(), memory, [&](const HostProbeLane& lane) {
        EvaluateScalar<decltype(constant)::value>(lane, a.data(), b.data(), c.data(), y.data(),
                                                  static_cast<int>(a.size()));
      });
    });
    return y;
  }

  std::vector<uint32_t> Multiply(size_t i, const Tiles& tiles) override {
    std::vector<float> d(tiles.c.size());
    simt::GlobalMemory memory;
    Add(&memory, "a", std::span(tiles.a));
    Add(&memory, "b", std::span(tiles.b));
    Add(&memory, "c", std::span(tiles.c));
    Add(&memory, "d", std::span(d));
    const auto [name, m, n, k] = chip_.matrix[i].operation;
    simt::LaunchShape shape;
    shape.blocks = static_cast<int>(tiles.count);
    const bool warpgroup = m == 64, amd = chip_.vendor == Vendor::kAmd;
    shape.threads = warpgroup ? 128 : amd ? 64 : 32;
    shape.warp_size = amd ? 64 : 32;
    shape.shared_bytes = warpgroup ? kWgmmaSharedBytes : 0;
    const auto kernel = KernelOf(m, n, k);
    Launch(shape, chip_.matrix[i].unit, memory, [&](const HostProbeLane& lane) {
      kernel(lane, tiles.a.data(), tiles.b.data(), tiles.c.data(), d.data());
    });
    std::vector<uint32_t> bits(d.size());
    std::memcpy(bits.data(), d.data(), d.size() * sizeof(float));
    return bits;
  }

 private:
  using TileKernel = void (*)(const HostProbeLane& lane, const uint16_t* a, const uint16_t* b,
                              const float* c, float* d);
  TileKernel KernelOf(int m, int n, int k) const {
    if (chip_.vendor == Vendor::kNvidia && k == 16 && n == 8) {
      if (m == 16) return MmaTile<HostProbeLane>;
      if (m == 64) return WgmmaTile<HostProbeLane>;
    }
    if (chip_.vendor == Vendor::kAmd && m == n) {
      if (m == 16 && k == 16) return MfmaTile<16, 16, HostProbeLane>;
      if (m == 16 && k == 32) return MfmaTile<16, 32, HostProbeLane>;
      if (m == 32 && k == 8) return MfmaTile<32, 8, HostProbeLane>;
    }
    throw EnvironmentError("the executor has no matrix instruction of that shape");
  }

  static simt::LaunchShape Elementwise(size_t n) {
    simt::LaunchShape shape;
    shape.blocks = BlocksFor(n);
    shape.threads = kThreads;
    return shape;
  }

  template <typename Body>
  void Launch(const simt::LaunchShape& shape, const units::MatrixUnit& unit,
              const simt::GlobalMemory& memory, const Body& body) const {
    simt::Launch(shape, {.schedule = schedule_}, {unit, &chip_.special}, memory,
                 [&] { body(HostProbeLane()); });
  }

  Chip chip_;
  uint64_t schedule_;
  DeviceInfo info_;
  std::vector<MatrixOperation> operations_;
};

}  // namespace

std::unique_ptr<Prober> OpenSimtProber(Chip chip, uint64_t schedule) {
  return std::make_unique<SimtProber>(std::move(chip), schedule);
}

}  // namespace samebits::gpu::probe
