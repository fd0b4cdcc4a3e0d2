// Speed of the matrix unit's model.
#ifndef SAMEBITS_HARNESS_BENCH_MATRIX_UNIT_BENCH_H_
#define SAMEBITS_HARNESS_BENCH_MATRIX_UNIT_BENCH_H_

#include "harness/bench/benchmark.h"

namespace samebits::harness {

/// A [128][128] . B [128][128]^T, the vector code over Eigen's float32 product and over the plain
/// twin.
BenchResult BenchMatrixUnit(int repetitions);

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_BENCH_MATRIX_UNIT_BENCH_H_
