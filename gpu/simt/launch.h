// Runs a kernel thread by thread on the CPU: every GPU thread is a fibre, the blocks of a cluster
// (of a co-resident grid: all blocks) share one operating-system thread, clusters are spread over
// several. What the kernel computes must not depend on the schedule.
#ifndef SAMEBITS_GPU_SIMT_LAUNCH_H_
#define SAMEBITS_GPU_SIMT_LAUNCH_H_

#include <cstddef>
#include <cstdint>
#include <functional>

#include "gpu/simt/fault.h"
#include "gpu/simt/global_memory.h"
#include "model/units/matrix_unit.h"
#include "model/units/special_functions.h"

namespace samebits::gpu::simt {

/// What a launch is on a GPU. One-dimensional.
struct LaunchShape {
  int blocks = 1;
  int threads = 32;          // of a block
  int cluster = 1;           // blocks that share shared memory and run together
  bool co_resident = false;  // a cooperative launch: grid barriers are allowed
  bool dependent = false;    // launched before its predecessor ended: no global access before
                             // GridDependencyWait
  int64_t shared_bytes = 0;
  int warp_size = 32;  // 32 or 64
  int registers = 0;   // per thread at the start; 0: not known, RegistersIncrease never waits

  /// Throws ConfigError that names the field.
  void validate() const;
};

/// The units of the chip that is executed.
struct Units {
  units::MatrixUnit matrix;  // mma.sync
  const units::SpecialFunctionTables* special = nullptr;
  units::MatrixUnit wgmma = {};
  units::MatrixUnit tcgen05 = {};
};

struct Options {
  uint64_t schedule = 0;   // seed of the order of threads and completions (schedule.h)
  int cpu_threads = 0;     // 0: one per processor
  size_t stack_bytes = 0;  // per GPU thread; 0: 64 KiB, more under AddressSanitizer
};

/// Calls `body` once per GPU thread; there, Self() is that thread. Throws Fault; no result of the
/// launch may be used then. Other exceptions that `body` throws come out as they are.
void Launch(const LaunchShape& shape, const Options& options, const Units& units,
            const GlobalMemory& memory, const std::function<void()>& body);

struct GridLaunch {
  LaunchShape shape;
  std::function<void()> body;
};

/// Two launches of which the second depends on the first (`second.shape.dependent`) and overlaps
/// it: its blocks start once every block of the first has called GridLaunchDependents or ended, or
/// later, as the schedule says; its GridDependencyWait returns once the first has ended. Earlier
/// launches have ended. All threads share one operating-system thread. Throws as Launch does; a
/// Fault calls the first grid 0 and the second grid 1.
void LaunchTogether(const GridLaunch& first, const GridLaunch& second, const Options& options,
                    const Units& units, const GlobalMemory& memory);

}  // namespace samebits::gpu::simt

#endif  // SAMEBITS_GPU_SIMT_LAUNCH_H_
