// The model as a chip.
#include <atomic>
#include <cstring>

#include "gpu/probe/apply.h"
#include "gpu/probe/prober.h"
#include "model/arith/float32.h"
#include "model/parallel.h"

namespace samebits::gpu::probe {
namespace {

class ModelProber : public Prober {
 public:
  ModelProber(Chip chip, int threads) : chip_(std::move(chip)), threads_(threads) {
    info_ = {"model of " + chip_.name, chip_.architecture, "", ""};
    for (const Chip::Matrix& matrix : chip_.matrix) operations_.push_back(matrix.operation);
  }
  const DeviceInfo& info() const override { return info_; }
  Vendor vendor() const override { return chip_.vendor; }
  int clock_mhz() const override { return 0; }
  std::span<const MatrixOperation> matrix_operations() const override { return operations_; }

  std::vector<uint64_t> Fingerprints(Unary operation, std::span<const uint16_t> blocks) override {
    std::vector<uint64_t> sums(blocks.size());
    ParallelFor(static_cast<int64_t>(blocks.size()), threads_, [&](int64_t i) {
      const size_t index = static_cast<size_t>(i);
      sums[index] = Fingerprint(chip_.special, operation, blocks[index]);
    });
    return sums;
  }

  std::vector<uint32_t> Evaluate(Unary operation, std::span<const uint32_t> x) override {
    std::vector<uint32_t> y(x.size());
    ApplyArray(chip_.special, operation, x.data(), y.data(), x.size());
    return y;
  }

  std::vector<uint32_t> Evaluate(Scalar operation, std::span<const float> a,
                                 std::span<const float> b, std::span<const float> c) override {
    std::vector<uint32_t> y(a.size());
    for (size_t i = 0; i < a.size(); ++i) y[i] = Apply(chip_.special, operation, a[i], b[i], c[i]);
    return y;
  }

  std::vector<uint32_t> Multiply(size_t i, const Tiles& tiles) override {
    const auto [name, m, n, k] = chip_.matrix[i].operation;
    std::vector<float> d(static_cast<size_t>(tiles.count * m * n));
    for (int64_t t = 0; t < tiles.count; ++t) {
      units::GemmPlain(chip_.matrix[i].unit, {m, n, k}, tiles.a.data() + t * m * k, k,
                       tiles.b.data() + t * n * k, k, tiles.c.data() + t * m * n, n,
                       d.data() + t * m * n, n);
    }
    std::vector<uint32_t> bits(d.size());
    std::memcpy(bits.data(), d.data(), d.size() * sizeof(float));
    return bits;
  }

 private:
  Chip chip_;
  int threads_;
  DeviceInfo info_;
  std::vector<MatrixOperation> operations_;
};

}  // namespace

std::unique_ptr<Prober> OpenModelProber(Chip chip, int threads) {
  return std::make_unique<ModelProber>(std::move(chip), threads);
}

}  // namespace samebits::gpu::probe
