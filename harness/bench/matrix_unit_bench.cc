#include "harness/bench/matrix_unit_bench.h"

#include <cstdint>
#include <random>
#include <vector>

#include "harness/bench/eigen_gemm.h"
#include "model/arith/bfloat16.h"
#include "model/units/matrix_unit.h"
#include "model/units/matrix_unit_packed.h"

namespace samebits::harness {
namespace {

constexpr int kSize = 128;  // m, n and k: the gate projection of a head for 128 token rows

std::vector<uint16_t> RandomBf16(size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal;
  std::vector<uint16_t> values(count);
  for (uint16_t& value : values) value = arith::RoundToBf16(normal(generator));
  return values;
}

std::vector<float> Widened(const std::vector<uint16_t>& values) {
  std::vector<float> wide;
  for (uint16_t value : values) wide.push_back(arith::Widen(value));
  return wide;
}

}  // namespace

BenchResult BenchMatrixUnit(int repetitions) {
  const size_t count = size_t{kSize} * kSize;
  const std::vector<uint16_t> a = RandomBf16(count, 1), b = RandomBf16(count, 2);
  const std::vector<float> wide_a = Widened(a), wide_b = Widened(b);
  std::vector<float> d(count);
  const units::MatrixUnit unit;
  const units::GemmShape shape{kSize, kSize, kSize};
  const units::PackedMatrix packed(a.data(), kSize, kSize, kSize);
  const std::function<void()> bodies[] = {
      [&] {
        units::Gemm(unit, packed, kSize, b.data(), kSize, nullptr, {}, d.data(), {1, kSize});
        Keep(d[0]);
      },
      [&] {
        units::GemmPlain(unit, shape, a.data(), kSize, b.data(), kSize, nullptr, 0, d.data(),
                         kSize);
        Keep(d[0]);
      },
      [&] {
        EigenGemm(kSize, kSize, kSize, wide_a.data(), wide_b.data(), d.data());
        Keep(d[0]);
      }};
  const std::vector<double> seconds = MedianSeconds(bodies, repetitions);
  const double work = double{kSize} * kSize * kSize;
  const std::string rate = "multiply-adds/s";
  BenchResult result;
  result.measurements = {{"vector code", work / seconds[0], rate},
                         {"plain code", work / seconds[1], rate},
                         {"Eigen float32", work / seconds[2], rate}};
  result.ratios = {
      {"vector code", "Eigen float32", seconds[2] / seconds[0], Ratio::Wish::kAtLeast, 0.1},
      {"vector code", "plain code", seconds[1] / seconds[0], {}, 0}};
  return result;
}

}  // namespace samebits::harness
