// Speed of the kda_decode model.
#ifndef SAMEBITS_HARNESS_BENCH_KDA_DECODE_BENCH_H_
#define SAMEBITS_HARNESS_BENCH_KDA_DECODE_BENCH_H_

#include "harness/bench/benchmark.h"

namespace samebits::harness {

/// Time per item with 1 and with 4 tokens, the model over a plain Eigen float32 computation.
BenchResult BenchKdaDecode(int repetitions);

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_BENCH_KDA_DECODE_BENCH_H_
