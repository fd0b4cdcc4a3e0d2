// The CUDA kernels of shared_expert over the time to read their weights once.
#ifndef SAMEBITS_HARNESS_BENCH_SHARED_EXPERT_CUDA_BENCH_H_
#define SAMEBITS_HARNESS_BENCH_SHARED_EXPERT_CUDA_BENCH_H_

#include "harness/bench/benchmark.h"

namespace samebits::harness {

/// One rank of the real layer, TP 8 and 16, per variant and batch: time of a case (graph replay,
/// weights from device memory) over W, its weights at the device's read rate. "overlap": a launch
/// loads weights while the one before it ends. Without a CUDA device: nothing measured.
BenchResult BenchSharedExpertCuda(int repetitions);

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_BENCH_SHARED_EXPERT_CUDA_BENCH_H_
