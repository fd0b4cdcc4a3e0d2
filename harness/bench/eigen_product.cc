#include "harness/bench/eigen_product.h"

#include <random>

#include "harness/bench/benchmark.h"
#include "harness/bench/eigen_gemm.h"
#include "model/parallel.h"

namespace samebits::harness {

EigenProduct::EigenProduct(int rows, int tokens, int k, int threads)
    : rows_(rows),
      tokens_(tokens),
      k_(k),
      threads_(threads),
      weights_(static_cast<size_t>(rows) * static_cast<size_t>(k)),
      inputs_(static_cast<size_t>(tokens) * static_cast<size_t>(k)),
      result_(static_cast<size_t>(rows) * static_cast<size_t>(tokens)) {
  std::mt19937 generator(static_cast<unsigned>(rows));
  std::normal_distribution<float> normal;
  for (std::vector<float>* values : {&weights_, &inputs_}) {
    for (float& value : *values) value = normal(generator);
  }
}

void EigenProduct::Run() {
  const int part = rows_ / threads_;
  ParallelFor(threads_, threads_, [&](int64_t i) {
    EigenGemm(part, tokens_, k_, weights_.data() + i * part * k_, inputs_.data(),
              result_.data() + i * part * tokens_);
  });
  Keep(result_[0]);
}

}  // namespace samebits::harness
