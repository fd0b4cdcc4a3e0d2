// The operator of kda_decode as one would write it with Eigen, in float32, without any care for the
// order of operations: the measure of what bit-exactness costs.
#ifndef SAMEBITS_HARNESS_BENCH_EIGEN_KDA_DECODE_H_
#define SAMEBITS_HARNESS_BENCH_EIGEN_KDA_DECODE_H_

#include <Eigen/Core>

namespace samebits::harness {

/// One (request, head) pair with `tokens` tokens; values are random and stay bounded.
class EigenKdaDecode {
 public:
  explicit EigenKdaDecode(int tokens);
  /// Convolution and SiLU, norms, gate projection, decay, recurrence, gated norm.
  void Run();
  const Eigen::MatrixXf& output() const { return output_; }

 private:
  static constexpr int kDim = 128, kTaps = 4;
  using State = Eigen::Matrix<float, kDim, kDim, Eigen::RowMajor>;

  void Convolve(int token);
  void Recur(int token);

  int tokens_;
  Eigen::ArrayXXf history_;  // [3 * kDim][kTaps - 1 + tokens], oldest first
  Eigen::ArrayXXf weights_;  // [3 * kDim][kTaps]
  Eigen::MatrixXf f_a_;      // [kDim][tokens]
  Eigen::MatrixXf f_b_;      // [kDim][kDim]
  Eigen::ArrayXXf dt_bias_, gate_, norm_weight_;
  Eigen::ArrayXf beta_;
  Eigen::ArrayXXf qkv_;     // [3 * kDim][tokens]
  Eigen::ArrayXXf decay_;   // [kDim][tokens]
  State page_, state_;      // as stored; while tokens pass
  Eigen::MatrixXf output_;  // [kDim][tokens]
};

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_BENCH_EIGEN_KDA_DECODE_H_
