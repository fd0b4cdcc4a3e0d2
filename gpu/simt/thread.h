// One GPU thread and what it waits for.
#ifndef SAMEBITS_GPU_SIMT_THREAD_H_
#define SAMEBITS_GPU_SIMT_THREAD_H_

#include <cstdint>
#include <string>
#include <vector>

#include "gpu/simt/clock.h"
#include "gpu/simt/fault.h"
#include "gpu/simt/fiber.h"
#include "gpu/simt/shared_memory.h"

namespace samebits::gpu::simt {

struct Block;
struct Copy;
class Team;

enum class WaitFor : uint8_t {
  kNothing,
  kWarp,
  kNamedBarrier,
  kMbarrier,
  kSplitBarrier,
  kRegisters,
  kTensorMemory,
  kMessage,
  kGrid
};

/// Every switch touches the first part, which is two cache lines.
struct alignas(64) Thread {
  // Execution.
  Fiber fiber;
  Where where;  // the operation that runs or waits
  Team* team = nullptr;
  WaitFor wait = WaitFor::kNothing;
  bool ended = false;
  bool spins = false;       // in Team::Spin
  int level = 0;            // priority (schedule.h)
  int64_t wait_object = 0;  // barrier id, mbarrier offset, registers, address of a message

  // Place.
  Block* block = nullptr;
  int index = 0;  // in the block
  int warp = 0;
  int lane = 0;

  // Synchronisation and asynchronous work.
  ThreadClock clock;
  int64_t wait_detail = 0;    // parity of an mbarrier, tag of a message
  uint32_t copy_group = 1;    // of the next CopyAsync16
  uint32_t copy_epoch = 1;    // the same, in the clock of this thread's copies
  uint32_t bulk_group = 1;    // of the next BulkStore
  std::vector<Copy*> copies;  // of this thread, not waited for
  std::vector<Copy*> bulk_stores;
  uint32_t memory_hint = 0;

  // Clusters.
  uint32_t cluster_phases = 0;  // of the cluster's barrier, that this thread has waited for
  bool cluster_arrived = false;
  ClockRef cluster_relaxed;   // what relaxed arrivals came after, which orders only inits of
                              // mbarriers
  uint64_t global_fence = 0;  // the moment of the last FenceProxyAsyncGlobal
  std::vector<const void*> tensor_maps;  // acquired
  // Tensor memory.
  ClockRef tensor_fence_after;       // what was known at the last fence after a synchronisation
  uint32_t tensor_fence_before = 0;  // epoch at the last fence before one

  Mark mark() const { return {clock.now(), where.line()}; }
};

/// The running GPU thread; only inside a kernel.
Thread& Self();

/// "block 0"; "grid 1 block 0" if two grids run together.
std::string Describe(const Block& block);
/// "block 0 thread 37 (warp 1 lane 5)".
std::string Describe(const Thread& thread);
/// "kernel.h:120".
std::string Describe(const Where& where);
/// Throws a Fault about `self`'s present operation.
[[noreturn]] void Fail(const Thread& self, FaultKind kind, const std::string& what);

/// Called as every thread starts. A debugger stops one thread of a kernel with
///   break samebits::gpu::simt::AtThread if block == 0 && warp == 3 && lane == 5
/// and at a line of a kernel by running_thread (README.md); IsThread is for programs.
void AtThread(int block, int warp, int lane);
bool IsThread(int block, int warp, int lane);

}  // namespace samebits::gpu::simt

#endif  // SAMEBITS_GPU_SIMT_THREAD_H_
