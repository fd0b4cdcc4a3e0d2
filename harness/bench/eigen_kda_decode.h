// The operator of kda_decode as one would write it with Eigen, in float32, without any care for the
// order of operations: the measure of what bit-exactness costs. Eigen's types stay inside: their
// layout depends on the instruction set of the file that is compiled.
#ifndef SAMEBITS_HARNESS_BENCH_EIGEN_KDA_DECODE_H_
#define SAMEBITS_HARNESS_BENCH_EIGEN_KDA_DECODE_H_

#include <memory>

namespace samebits::harness {

/// (request, head) pairs with `tokens` tokens each; values are random and stay bounded. The pairs
/// share their inputs, but each has its own states, one per token, as in memory of the operator:
/// the first is read, all are written.
class EigenKdaDecode {
 public:
  EigenKdaDecode(int tokens, int items);
  ~EigenKdaDecode();
  /// Convolution and SiLU, norms, gate projection, decay, recurrence, gated norm of one pair.
  void Run(int item);
  /// [tokens][128]
  const float* output() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_BENCH_EIGEN_KDA_DECODE_H_
