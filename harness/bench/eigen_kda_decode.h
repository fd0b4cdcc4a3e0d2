// The operator of kda_decode as one would write it with Eigen, in float32, without any care for the
// order of operations: the measure of what bit-exactness costs. Eigen's types stay inside: their
// layout depends on the instruction set of the file that is compiled.
#ifndef SAMEBITS_HARNESS_BENCH_EIGEN_KDA_DECODE_H_
#define SAMEBITS_HARNESS_BENCH_EIGEN_KDA_DECODE_H_

#include <memory>

namespace samebits::harness {

/// One (request, head) pair with `tokens` tokens; values are random and stay bounded.
class EigenKdaDecode {
 public:
  explicit EigenKdaDecode(int tokens);
  ~EigenKdaDecode();
  /// Convolution and SiLU, norms, gate projection, decay, recurrence, gated norm.
  void Run();
  /// [tokens][128]
  const float* output() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_BENCH_EIGEN_KDA_DECODE_H_
