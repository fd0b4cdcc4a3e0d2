#include "harness/bench/shared_expert_bench.h"

#include <string>
#include <thread>

#include "harness/bench/eigen_product.h"
#include "harness/bench/model_run.h"
#include "model/shared_expert/kernel.h"

namespace samebits::harness {
namespace {

constexpr int kTokens = 16, kWidth = 7168, kHidden = 768;

}  // namespace

BenchResult BenchSharedExpert(int repetitions) {
  const UseEveryProcessor every;
  const int threads = std::thread::hardware_concurrency() > 1 ? 2 : 1;
  ModelRun model(shared_expert::GetKernel(), {{"rank", "0"}, {"batch", std::to_string(kTokens)}},
                 threads);
  EigenProduct gate_up(2 * kHidden, kTokens, kWidth, threads);
  EigenProduct down(kWidth, kTokens, kHidden, threads);
  const std::function<void()> bodies[] = {[&] { model.Run(); },
                                          [&] {
                                            gate_up.Run();
                                            down.Run();
                                          }};
  const std::vector<double> seconds = MedianSeconds(bodies, repetitions);
  const std::string model_name = "model, TP8, B=16", eigen_name = "Eigen float32, same products";
  BenchResult result;
  result.measurements = {{model_name, 1e3 * seconds[0], "ms/step"},
                         {eigen_name, 1e3 * seconds[1], "ms/step"},
                         {"threads of both", double(threads), ""}};
  result.ratios = {{model_name, eigen_name, seconds[0] / seconds[1], Ratio::Wish::kAtMost, 6}};
  return result;
}

}  // namespace samebits::harness
