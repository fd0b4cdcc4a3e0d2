// Speed of the special functions' model.
#ifndef SAMEBITS_HARNESS_BENCH_SPECIAL_FUNCTIONS_BENCH_H_
#define SAMEBITS_HARNESS_BENCH_SPECIAL_FUNCTIONS_BENCH_H_

#include "harness/bench/benchmark.h"

namespace samebits::harness {

/// Nanoseconds per evaluation, the vector code over the plain twin.
BenchResult BenchSpecialFunctions(int repetitions);

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_BENCH_SPECIAL_FUNCTIONS_BENCH_H_
