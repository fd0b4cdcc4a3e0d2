#include "harness/bench/shared_expert_bench.h"

#include <algorithm>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "golden/inputs.h"
#include "golden/memory_image.h"
#include "harness/bench/eigen_gemm.h"
#include "model/parallel.h"
#include "model/shared_expert/kernel.h"

namespace samebits::harness {
namespace {

constexpr int kTokens = 16, kWidth = 7168, kHidden = 768;

int Threads() { return std::thread::hardware_concurrency() > 1 ? 2 : 1; }

/// One rank of the real model.
class ModelRun {
 public:
  ModelRun() : kernel_(shared_expert::GetKernel()) {
    golden::CaseSpec spec;
    spec.kernel = &kernel_;
    spec.config = kernel_.Complete({{"rank", "0"}, {"batch", std::to_string(kTokens)}});
    config_ = spec.config;
    contract_ = kernel_.NamedContract("");
    image_ = std::make_unique<golden::MemoryImage>(kernel_.Plan(config_, false));
    for (const Tensor& input : golden::GenerateInputs(spec, Threads()).tensors) {
      image_->Scatter(input);
    }
  }
  void Run() { kernel_.Run(config_, contract_, false, image_->addresses(), Threads()); }

 private:
  const Kernel& kernel_;
  Settings config_;
  Contract contract_;
  std::unique_ptr<golden::MemoryImage> image_;
};

/// Weights [rows][k] times tokens [kTokens][k], the rows shared among the threads.
class EigenProduct {
 public:
  EigenProduct(int rows, int k) : rows_(rows), k_(k) {
    std::mt19937 generator(static_cast<unsigned>(rows));
    std::normal_distribution<float> normal;
    for (std::vector<float>* values : {&weights_, &tokens_}) {
      values->resize(static_cast<size_t>(values == &weights_ ? rows : kTokens) * k);
      for (float& value : *values) value = normal(generator);
    }
    result_.resize(static_cast<size_t>(rows) * kTokens);
  }
  void Run() {
    const int threads = Threads(), part = rows_ / threads;
    ParallelFor(threads, threads, [&](int64_t i) {
      EigenGemm(part, kTokens, k_, weights_.data() + i * part * k_, tokens_.data(),
                result_.data() + i * part * kTokens);
    });
    Keep(result_[0]);
  }

 private:
  const int rows_, k_;
  std::vector<float> weights_, tokens_, result_;
};

}  // namespace

BenchResult BenchSharedExpert(int repetitions) {
  const UseEveryProcessor every;
  ModelRun model;
  EigenProduct gate_up(2 * kHidden, kWidth), down(kWidth, kHidden);
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
                         {"threads of both", double(Threads()), ""}};
  result.ratios = {{model_name, eigen_name, seconds[0] / seconds[1], Ratio::Wish::kAtMost, 6}};
  return result;
}

}  // namespace samebits::harness
