// The state of blocks and clusters: memory and everything that threads meet at.
#ifndef SAMEBITS_GPU_SIMT_BLOCK_H_
#define SAMEBITS_GPU_SIMT_BLOCK_H_

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "gpu/simt/clock.h"
#include "gpu/simt/shared_memory.h"
#include "gpu/simt/thread.h"

namespace samebits::gpu::simt {

inline constexpr int kNamedBarriers = 16;
inline constexpr int kMaxWarpSize = 64;
inline constexpr int kBulkActors = 64;

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
  bool fenced = false;  // the init is visible to the asynchronous proxy
  std::vector<Thread*> waiting;
  Gather gather;
  Acquire completed;  // of the phase before
};

/// A barrier over the threads of whole clusters.
struct SplitBarrier {
  int expected = 0;
  int arrived = 0;
  std::vector<Thread*> waiting;
  std::vector<Gather> gathers;  // per cluster
};

struct Cluster;

struct Block {
  Block(Cluster* cluster, int index, int rank, int threads, int warps, int64_t shared_bytes,
        uint8_t fill);

  Cluster* cluster;
  int index;  // in the grid
  int rank;   // in the cluster
  int running;
  SharedMemory shared;
  std::vector<Warp> warps;
  std::vector<NamedBarrier> barriers;
  std::unordered_map<int64_t, Mbarrier> mbarriers;  // by offset in shared memory
  int free_registers = 0;
  std::vector<Thread*> waiting_for_registers;
};

struct Cluster {
  Cluster(int threads, int index);

  int index;
  ClockArena arena;  // in front of all that holds clocks
  std::vector<std::unique_ptr<Block>> blocks;
  std::vector<Thread> threads;  // of all blocks
  SplitBarrier barrier;
  Acquire grid_dependency;
  std::array<uint32_t, kBulkActors> bulk_epochs{};
  std::vector<uint16_t> free_bulk_actors;

  // Actors: threads, their 16-byte copies, bulk copies, the grid that this one depends on.
  int first_bulk_actor() const { return 2 * static_cast<int>(threads.size()); }
  uint16_t grid_actor() const { return static_cast<uint16_t>(first_bulk_actor() + kBulkActors); }
};

}  // namespace samebits::gpu::simt

#endif  // SAMEBITS_GPU_SIMT_BLOCK_H_
