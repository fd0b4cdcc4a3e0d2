#include "harness/bench/benchmark.h"

namespace samebits::harness {

std::vector<Benchmark> Benchmarks() { return {}; }

}  // namespace samebits::harness
