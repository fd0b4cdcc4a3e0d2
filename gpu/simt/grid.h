// The grid that a block belongs to: what was launched, and what holds for all its blocks in a team.
#ifndef SAMEBITS_GPU_SIMT_GRID_H_
#define SAMEBITS_GPU_SIMT_GRID_H_

#include <functional>
#include <vector>

#include "gpu/simt/block.h"
#include "gpu/simt/launch.h"
#include "gpu/simt/store_times.h"

namespace samebits::gpu::simt {

/// Clusters [first, first + count) of a grid.
struct GridPart {
  const LaunchShape& shape;
  const std::function<void()>& body;
  int first = 0;
  int count = 0;
};

struct Grid {
  Grid(const GridPart& part, int number)
      : shape(part.shape), body(part.body), index(number), first_cluster(part.first) {}

  const LaunchShape& shape;
  const std::function<void()>& body;
  int index;  // of the grids that run together
  int first_cluster;
  SplitBarrier barrier;
  StoreTimes stores;  // of co-resident grids and those that run together

  // Of two grids that run together (dependency.h).
  Grid* before = nullptr;        // that this one depends on
  Grid* after = nullptr;         // that depends on this one
  int running_blocks = 0;        // that have not ended
  int holding_blocks = 0;        // that have not ended nor let the grid after this one start
  bool earlier_ended = false;    // before it started: what had been launched before both
  std::vector<Cluster*> early;   // not started: they start once no block holds them back
  std::vector<Cluster*> late;    // ... once the grid before has ended
  std::vector<Thread*> waiting;  // for the end of this one

  bool together() const { return before || after; }
};

}  // namespace samebits::gpu::simt

#endif  // SAMEBITS_GPU_SIMT_GRID_H_
