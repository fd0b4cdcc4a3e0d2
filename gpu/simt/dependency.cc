#include "gpu/simt/dependency.h"

#include "gpu/simt/team.h"

namespace samebits::gpu::simt {
namespace {

void Start(Team& team, std::vector<Cluster*>& clusters) {
  for (Cluster* cluster : clusters) {
    for (Thread& thread : cluster->threads) team.Wake(thread);
  }
  clusters.clear();
}

/// `waited`: the block waited for the grid before first. One such block is enough to know that all
/// that was launched earlier has ended.
void LetGo(Team& team, Block& block, bool waited) {
  Grid& grid = *block.grid;
  if (!grid.after || block.let_go) return;
  block.let_go = true;
  if (waited || !grid.shape.dependent) grid.after->earlier_ended = true;
  if (--grid.holding_blocks == 0) Start(team, grid.after->early);
}

}  // namespace

bool HasWaitedForGrid(const Thread& self) {
  return self.clock.base->seen[static_cast<size_t>(self.block->cluster->grid_actor())] != 0;
}

void GridDependencyWait(Thread& self, Where where) {
  Block& block = *self.block;
  Grid* before = block.grid->before;
  if (before && before->running_blocks != 0) {
    self.where = where;
    self.wait = WaitFor::kGrid;
    before->waiting.push_back(&self);
    self.team->Suspend(self);
  }
  block.cluster->grid_dependency.By(self.clock);
  block.waited_for_grid = true;
}

void GridLaunchDependents(Thread& self, Where where) {
  if (!self.block->grid->after) return;
  self.where = where;
  LetGo(*self.team, *self.block, HasWaitedForGrid(self));
  self.team->Pause(self);
}

void EndBlockOfGrid(Thread& last) {
  Team& team = *last.team;
  Grid& grid = *last.block->grid;
  LetGo(team, *last.block, last.block->waited_for_grid);
  if (--grid.running_blocks != 0 || !grid.after) return;
  team.copies().FinishAllOf(grid);
  team.Wake(grid.waiting);
  grid.waiting.clear();
  Start(team, grid.after->late);
}

}  // namespace samebits::gpu::simt
