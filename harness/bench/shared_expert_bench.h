// Speed of the shared_expert model.
#ifndef SAMEBITS_HARNESS_BENCH_SHARED_EXPERT_BENCH_H_
#define SAMEBITS_HARNESS_BENCH_SHARED_EXPERT_BENCH_H_

#include "harness/bench/benchmark.h"

namespace samebits::harness {

/// Time of one rank's step of the real model, 8 ranks and 16 tokens: the model over Eigen's two
/// float32 products of the same shapes, both on as many as two threads.
BenchResult BenchSharedExpert(int repetitions);

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_BENCH_SHARED_EXPERT_BENCH_H_
