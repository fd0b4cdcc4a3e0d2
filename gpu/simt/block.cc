#include "gpu/simt/block.h"

namespace samebits::gpu::simt {

Cluster::Cluster(int thread_count, int cluster_index)
    : index(cluster_index),
      arena(2 * thread_count + kBulkActors + 1),
      threads(static_cast<size_t>(thread_count)) {
  for (int i = kBulkActors - 1; i >= 0; --i) {
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
  barrier.gathers.emplace_back(&arena);
  Gather grid(&arena);
  grid.Add(Stamp{1, grid_actor()});
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
