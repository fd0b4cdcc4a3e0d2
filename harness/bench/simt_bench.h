// What the CPU executor of kernels costs.
#ifndef SAMEBITS_HARNESS_BENCH_SIMT_BENCH_H_
#define SAMEBITS_HARNESS_BENCH_SIMT_BENCH_H_

#include "harness/bench/benchmark.h"

namespace samebits::harness {

/// Nanoseconds per GPU thread of a barrier and of a shuffle, over a bare switch between fibres.
BenchResult BenchSimt(int repetitions);

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_BENCH_SIMT_BENCH_H_
