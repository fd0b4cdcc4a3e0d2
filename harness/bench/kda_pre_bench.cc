#include "harness/bench/kda_pre_bench.h"

#include <fmt/format.h>

#include <string>
#include <thread>

#include "harness/bench/eigen_product.h"
#include "harness/bench/model_run.h"
#include "model/kda_pre/config.h"
#include "model/kda_pre/kernel.h"

namespace samebits::harness {
namespace {

void BenchTokens(int tokens, int threads, int repetitions, BenchResult* result) {
  ModelRun model(kda_pre::GetKernel(), {{"requests", "1"}, {"tokens", std::to_string(tokens)}},
                 threads);
  EigenProduct product(kda_pre::kInProjRows, tokens, kda_pre::kHidden, threads);
  const std::function<void()> bodies[] = {[&] { model.Run(); }, [&] { product.Run(); }};
  const std::vector<double> seconds = MedianSeconds(bodies, repetitions);
  const std::string model_name = fmt::format("model, L={}", tokens);
  const std::string eigen_name = fmt::format("Eigen float32, in_proj of {}", tokens);
  result->measurements.push_back({model_name, 1e3 * seconds[0], "ms/launch"});
  result->measurements.push_back({eigen_name, 1e3 * seconds[1], "ms/launch"});
  result->ratios.push_back(
      {model_name, eigen_name, seconds[0] / seconds[1], Ratio::Wish::kAtMost, 6});
}

}  // namespace

BenchResult BenchKdaPre(int repetitions) {
  const UseEveryProcessor every;
  const int threads = std::thread::hardware_concurrency() > 1 ? 2 : 1;
  BenchResult result;
  for (const int tokens : {1, 8}) BenchTokens(tokens, threads, repetitions, &result);
  result.measurements.push_back({"threads of both", double(threads), ""});
  return result;
}

}  // namespace samebits::harness
