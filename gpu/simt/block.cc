#include "gpu/simt/block.h"

namespace samebits::gpu::simt {
namespace {

/// Threads of a cluster store to each other one by one.
int BulkActors(int blocks) { return blocks > 1 ? 512 : 64; }

}  // namespace

Cluster::Cluster(int thread_count, int warps, int blocks_of_it, int cluster_index)
    : index(cluster_index),
      arena(2 * thread_count + BulkActors(blocks_of_it) + 1 + warps),
      threads(static_cast<size_t>(thread_count)),
      barrier(&arena),
      bulk_epochs(static_cast<size_t>(BulkActors(blocks_of_it))) {
  for (int i = BulkActors(blocks_of_it) - 1; i >= 0; --i) {
    free_bulk_actors.push_back(static_cast<uint16_t>(first_bulk_actor() + i));
  }
  ClockRef start(arena.New());
  for (int i = 0; i < thread_count; ++i) {
    ThreadClock& clock = threads[static_cast<size_t>(i)].clock;
    clock.base = start;
    clock.actor = static_cast<uint16_t>(i);
    clock.copies_actor = static_cast<uint16_t>(thread_count + i);
  }
  barrier.expected = thread_count;
  Gather grid(&arena);
  grid.Add(Stamp{1, static_cast<uint16_t>(grid_actor())});
  grid_dependency.Set(grid.Take());
}

Block::Block(Cluster* c, int grid_index, int cluster_rank, int threads, int warp_count,
             int64_t shared_bytes, uint8_t fill)
    : cluster(c),
      index(grid_index),
      rank(cluster_rank),
      running(threads),
      shared(shared_bytes, fill),
      warps(static_cast<size_t>(warp_count)),
      barriers(kNamedBarriers, NamedBarrier(&c->arena)) {
  shared.set_first_bulk_actor(c->first_bulk_actor());
}

}  // namespace samebits::gpu::simt
