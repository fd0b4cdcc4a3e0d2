// Eigen's float32 product of a layer's weights with a few tokens.
#ifndef SAMEBITS_HARNESS_BENCH_EIGEN_PRODUCT_H_
#define SAMEBITS_HARNESS_BENCH_EIGEN_PRODUCT_H_

#include <vector>

namespace samebits::harness {

/// Weights [rows][k] times tokens [tokens][k], the rows shared evenly among the threads.
class EigenProduct {
 public:
  /// `rows` is a multiple of `threads`.
  EigenProduct(int rows, int tokens, int k, int threads);
  void Run();

 private:
  const int rows_, tokens_, k_, threads_;
  std::vector<float> weights_, inputs_, result_;
};

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_BENCH_EIGEN_PRODUCT_H_
