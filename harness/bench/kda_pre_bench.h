// Speed of the kda_pre model.
#ifndef SAMEBITS_HARNESS_BENCH_KDA_PRE_BENCH_H_
#define SAMEBITS_HARNESS_BENCH_KDA_PRE_BENCH_H_

#include "harness/bench/benchmark.h"

namespace samebits::harness {

/// Time of one launch for one request of 1 and of 8 tokens: the model of the whole layer over
/// Eigen's float32 product of in_proj's shape, both on as many as two threads.
BenchResult BenchKdaPre(int repetitions);

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_BENCH_KDA_PRE_BENCH_H_
