// float32 matrix product of Eigen, as the measure of the matrix unit's model.
#ifndef SAMEBITS_HARNESS_BENCH_EIGEN_GEMM_H_
#define SAMEBITS_HARNESS_BENCH_EIGEN_GEMM_H_

namespace samebits::harness {

/// d = a . b^T, row-major, a [m][k], b [n][k], d [m][n].
void EigenGemm(int m, int n, int k, const float* a, const float* b, float* d);

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_BENCH_EIGEN_GEMM_H_
