// The state of blocks and clusters: memory and everything that threads meet at.
#ifndef SAMEBITS_GPU_SIMT_BLOCK_H_
#define SAMEBITS_GPU_SIMT_BLOCK_H_

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "gpu/simt/clock.h"
#include "gpu/simt/matrix.h"
#include "gpu/simt/shared_memory.h"
#include "gpu/simt/thread.h"

namespace samebits::gpu::simt {

inline constexpr int kNamedBarriers = 16;
inline constexpr int kMaxWarpSize = 64;
inline constexpr int kMaxClusterSize = 16;

/// A collective operation that lanes of a warp are about to make together.
struct Meeting {
  uint64_t mask = 0;  // 0: none
  uint64_t arrived = 0;
  int operation = 0;
  Where where;
};

struct Warp {
  std::array<Meeting, kMaxWarpSize> meetings;  // by the lowest lane of the mask
  std::array<void*, kMaxWarpSize> operands{};  // of the lanes that wait
  std::unique_ptr<MatrixQueue> matrix;         // made by the first asynchronous product
  int registers = 0;                           // per thread
};

/// Registers that no warp of a block holds (setmaxnreg), by what one warp needs per thread.
struct RegisterPool {
  int free = 0;
  std::vector<Thread*> waiting;
};

struct NamedBarrier {
  explicit NamedBarrier(ClockArena* arena) : gather(arena) {}
  int expected = 0;  // 0: no one has arrived
  int arrived = 0;
  Where where;  // of the first arrival
  std::vector<Thread*> waiting;
  Gather gather;
};

struct Mbarrier {
  explicit Mbarrier(ClockArena* arena) : gather(arena) {}
  int count = 0;    // arrivals of a phase
  int pending = 0;  // of this phase
  int64_t bytes = 0;
  uint64_t phase = 0;
  Stamp init;
  bool fenced = false;            // the init is visible to the asynchronous proxy
  bool remote = false;            // another block has released something in this phase
  bool completed_remote = false;  // the same of the phase before
  std::vector<Thread*> waiting;
  Gather gather;
  Acquire completed;  // of the phase before
};

/// The barrier of a cluster, at which threads arrive first and wait later.
struct ClusterBarrier {
  explicit ClusterBarrier(ClockArena* arena) : gather(arena), relaxed_gather(arena) {}
  int expected = 0;  // threads that have not ended
  int arrived = 0;
  uint32_t phase = 0;
  std::vector<Thread*> waiting;
  Gather gather;          // of the arrivals that release
  Gather relaxed_gather;  // of all
  Acquire completed;      // of the phase before
  ClockRef completed_relaxed;
};

/// A barrier over the threads of whole clusters.
struct SplitBarrier {
  int expected = 0;
  int arrived = 0;
  std::vector<Thread*> waiting;
  std::vector<Gather> gathers;  // per cluster
};

struct Cluster;
struct Grid;

struct Block {
  Block(Cluster* cluster, int index, int rank, int threads, int warps, int64_t shared_bytes,
        uint8_t fill);

  Cluster* cluster;
  Grid* grid = nullptr;
  int index;  // in the grid
  int rank;   // in the cluster
  int running;
  bool waited_for_grid = false;  // that its own depends on
  bool let_go = false;           // holds the grid that depends on its own back no longer
  SharedMemory shared;
  std::vector<Warp> warps;
  std::vector<NamedBarrier> barriers;
  std::unordered_map<int64_t, Mbarrier> mbarriers;  // by offset in shared memory
  std::unique_ptr<TensorMemory> tensor_memory;      // made by the first allocation
  RegisterPool registers;
};

struct Cluster {
  Cluster(int threads, int warps, int blocks, int index);

  int index;             // in the grid
  int first_thread = 0;  // in the team
  ClockArena arena;      // in front of all that holds clocks
  std::vector<std::unique_ptr<Block>> blocks;
  std::vector<Thread> threads;  // of all blocks
  ClusterBarrier barrier;
  Acquire grid_dependency;
  std::vector<uint32_t> bulk_epochs;  // as many as copies can be told apart
  std::vector<uint16_t> free_bulk_actors;

  // Actors: threads, their 16-byte copies, other copies, the grid that this one depends on, and
  // the asynchronous products of each warp.
  int first_bulk_actor() const { return 2 * static_cast<int>(threads.size()); }
  int grid_actor() const { return first_bulk_actor() + static_cast<int>(bulk_epochs.size()); }
  int matrix_actor(const Thread& thread) const {
    const int warps = static_cast<int>(thread.block->warps.size());
    return grid_actor() + 1 + thread.block->rank * warps + thread.warp;
  }
};

}  // namespace samebits::gpu::simt

#endif  // SAMEBITS_GPU_SIMT_BLOCK_H_
