#include "harness/bench/eigen_gemm.h"

#include <Eigen/Core>

namespace samebits::harness {

void EigenGemm(int m, int n, int k, const float* a, const float* b, float* d) {
  using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Eigen::Map<RowMajor>(d, m, n).noalias() =
      Eigen::Map<const RowMajor>(a, m, k) * Eigen::Map<const RowMajor>(b, n, k).transpose();
}

}  // namespace samebits::harness
