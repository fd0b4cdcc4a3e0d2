// What the executor costs: nanoseconds per GPU thread on one processor.
#ifndef SAMEBITS_GPU_SIMT_BENCHMARK_H_
#define SAMEBITS_GPU_SIMT_BENCHMARK_H_

#include <cstdint>

namespace samebits::gpu::simt {

struct SwitchCost {
  double barrier_ns = 0;  // per thread and block barrier
  double shuffle_ns = 0;  // per thread and shuffle of 32 lanes
  double switch_ns = 0;   // the same with a bare switch between fibres: what neither can beat
};

/// One block of 256 threads under the schedule, `rounds` operations per thread each.
SwitchCost MeasureSwitches(uint64_t schedule, int rounds);

}  // namespace samebits::gpu::simt

#endif  // SAMEBITS_GPU_SIMT_BENCHMARK_H_
