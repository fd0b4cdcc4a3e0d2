#include "harness/bench/benchmark.h"
#include "harness/bench/kda_decode_bench.h"
#include "harness/bench/kda_decode_cuda_bench.h"
#include "harness/bench/kda_pre_bench.h"
#include "harness/bench/matrix_unit_bench.h"
#include "harness/bench/shared_expert_bench.h"
#include "harness/bench/shared_expert_cuda_bench.h"
#include "harness/bench/simt_bench.h"
#include "harness/bench/special_functions_bench.h"

namespace samebits::harness {

std::vector<Benchmark> Benchmarks() {
  return {
      {"matrix_unit", "bit-exact matrix unit over Eigen's float32 product, 128 x 128 x 128",
       BenchMatrixUnit},
      {"special_functions", "special functions in vectors over their plain twins",
       BenchSpecialFunctions},
      {"simt", "executor of kernels on the CPU over bare switches between fibres", BenchSimt},
      {"kda_decode", "bit-exact model over a plain Eigen float32 computation, per item",
       BenchKdaDecode},
      {"shared_expert", "bit-exact model over Eigen's float32 products of the same shapes",
       BenchSharedExpert},
      {"kda_pre", "bit-exact model over Eigen's float32 product of in_proj's shape", BenchKdaPre},
      {"kda_decode.cuda", "CUDA kernels over the device's copy, read and issue rates, 12 heads",
       BenchKdaDecodeCuda},
      {"shared_expert.cuda", "CUDA kernels over the time to read their weights once",
       BenchSharedExpertCuda}};
}

}  // namespace samebits::harness
