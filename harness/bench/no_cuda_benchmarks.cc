// A build without nvcc has no CUDA kernels to time.
#include "harness/bench/kda_decode_cuda_bench.h"
#include "harness/bench/shared_expert_cuda_bench.h"

namespace samebits::harness {

BenchResult BenchKdaDecodeCuda(int) { return {}; }
BenchResult BenchSharedExpertCuda(int) { return {}; }

}  // namespace samebits::harness
