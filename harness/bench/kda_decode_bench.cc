#include "harness/bench/kda_decode_bench.h"

#include <fmt/format.h>

#include <string>

#include "harness/bench/eigen_kda_decode.h"
#include "harness/bench/model_run.h"
#include "model/kda_decode/kernel.h"

namespace samebits::harness {
namespace {

// A small batch. Both sides pass over as many states as a launch of it has in memory.
constexpr int kRequests = 8, kHeads = 4;

void BenchTokens(int tokens, int repetitions, BenchResult* result) {
  ModelRun model(kda_decode::GetKernel(),
                 {{"tokens", std::to_string(tokens)},
                  {"requests", std::to_string(kRequests)},
                  {"heads", std::to_string(kHeads)}},
                 1);
  EigenKdaDecode eigen(tokens, kRequests * kHeads);
  const std::function<void()> bodies[] = {[&] { model.Run(); },
                                          [&] {
                                            for (int i = 0; i < kRequests * kHeads; ++i) {
                                              eigen.Run(i);
                                              Keep(eigen.output()[0]);
                                            }
                                          }};
  const std::vector<double> seconds = MedianSeconds(bodies, repetitions);
  const double scale = 1e6 / (kRequests * kHeads);
  const std::string model_name = fmt::format("model, T={}", tokens);
  const std::string eigen_name = fmt::format("Eigen float32, T={}", tokens);
  result->measurements.push_back({model_name, seconds[0] * scale, "us/item"});
  result->measurements.push_back({eigen_name, seconds[1] * scale, "us/item"});
  result->ratios.push_back(
      {model_name, eigen_name, seconds[0] / seconds[1], Ratio::Wish::kAtMost, 4});
}

}  // namespace

BenchResult BenchKdaDecode(int repetitions) {
  BenchResult result;
  for (int tokens : {1, 4}) BenchTokens(tokens, repetitions, &result);
  return result;
}

}  // namespace samebits::harness
