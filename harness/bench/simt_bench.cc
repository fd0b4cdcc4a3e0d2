#include "harness/bench/simt_bench.h"

#include <vector>

#include "gpu/simt/benchmark.h"

namespace samebits::harness {
BenchResult BenchSimt(int repetitions) {
  constexpr int kRounds = 200;
  std::vector<double> barrier, shuffle, bare;
  for (int i = 0; i < repetitions; ++i) {
    const auto cost = gpu::simt::MeasureSwitches(static_cast<uint64_t>(i), kRounds);
    barrier.push_back(cost.barrier_ns);
    shuffle.push_back(cost.shuffle_ns);
    bare.push_back(cost.switch_ns);
  }
  BenchResult result;
  const auto add = [&result](const std::string& name, double ns) {
    result.measurements.push_back({name, ns, "ns per thread"});
  };
  add("bare switch", Median(bare));
  add("barrier", Median(barrier));
  add("shuffle", Median(shuffle));
  result.ratios.push_back({"barrier", "bare switch", Median(barrier) / Median(bare)});
  result.ratios.push_back({"shuffle", "bare switch", Median(shuffle) / Median(bare)});
  result.ratios.push_back(
      {"barrier", "the 40 ns that it may cost", Median(barrier) / 40, Ratio::Wish::kAtMost, 1});
  result.ratios.push_back(
      {"shuffle", "the 40 ns that it may cost", Median(shuffle) / 40, Ratio::Wish::kAtMost, 1});
  return result;
}

}  // namespace samebits::harness
