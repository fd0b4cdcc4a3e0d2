// The CUDA kernels of kda_decode over what the device's memory and arithmetic can do.
#ifndef SAMEBITS_HARNESS_BENCH_KDA_DECODE_CUDA_BENCH_H_
#define SAMEBITS_HARNESS_BENCH_KDA_DECODE_CUDA_BENCH_H_

#include "harness/bench/benchmark.h"

namespace samebits::harness {

/// Production shapes, 12 heads: time of a launch (graph replay, operands from device memory), its
/// state bytes per second over the device's copy rate, and its FP32 operations over the issue rate.
/// Without a CUDA device: nothing measured.
BenchResult BenchKdaDecodeCuda(int repetitions);

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_BENCH_KDA_DECODE_CUDA_BENCH_H_
