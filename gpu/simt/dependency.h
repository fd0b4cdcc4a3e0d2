// Programmatic dependent launch: griddepcontrol, and what it orders when the grid that depends and
// the grid that it depends on run at the same time.
#ifndef SAMEBITS_GPU_SIMT_DEPENDENCY_H_
#define SAMEBITS_GPU_SIMT_DEPENDENCY_H_

#include "gpu/simt/block.h"
#include "gpu/simt/thread.h"

namespace samebits::gpu::simt {

/// griddepcontrol.wait: until the grid before has ended; acquires what it did.
void GridDependencyWait(Thread& self, Where where);
/// griddepcontrol.launch_dependents: the block of `self` holds the grid after this one back no
/// longer. Orders nothing.
void GridLaunchDependents(Thread& self, Where where);
/// The thread, or one that it has been synchronised with, has waited for the grid before.
bool HasWaitedForGrid(const Thread& self);
/// `last` was the last thread of its block.
void EndBlockOfGrid(Thread& last);

}  // namespace samebits::gpu::simt

#endif  // SAMEBITS_GPU_SIMT_DEPENDENCY_H_
