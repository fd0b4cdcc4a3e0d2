// Where threads of a block or a grid meet.
#ifndef SAMEBITS_GPU_SIMT_BARRIERS_H_
#define SAMEBITS_GPU_SIMT_BARRIERS_H_

#include <cstdint>
#include <vector>

#include "gpu/simt/block.h"
#include "gpu/simt/thread.h"

namespace samebits::gpu::simt {

/// bar.sync: barrier `id` over `count` threads. BarrierArrive: bar.arrive, which does not wait.
void BarrierSync(Thread& self, int id, int count, Where where);
void BarrierArrive(Thread& self, int id, int count, Where where);

/// A barrier over every thread of the grid. Faults unless the launch is co-resident.
void SyncGrid(Thread& self, Where where);

// mbarriers, objects of 8 bytes in shared memory.
void MbarrierInit(Thread& self, void* barrier, int count, Where where);
void MbarrierInitFence(Thread& self, Where where);
/// Adds `bytes` to what the phase expects, then arrives.
void MbarrierArrive(Thread& self, void* barrier, int64_t bytes, Where where);
/// Returns once the phase of that parity is complete. Unless `cluster`, a fault if another block
/// released something in that phase.
void MbarrierWait(Thread& self, void* barrier, int parity, Where where, bool cluster = false);
/// One arrival by asynchronous work of `owner` that is complete and releases `stamp`. `known`, if
/// any: what had happened before the work was started.
void ArriveAsync(Block& block, int64_t offset, Stamp stamp, const Thread& owner,
                 const ClockRef& known = {});
/// Faults if the barrier's initialisation is not visible to the asynchronous proxy.
Mbarrier& FindAsyncMbarrier(Thread& self, const void* barrier);
/// By a bulk load that has written: `bytes` fewer, and its writes are released.
void CompleteBytes(Block& block, int64_t offset, int64_t bytes, Stamp stamp, const Thread& owner);
/// The object at that address. Faults if it was never initialised, or not before the caller.
Mbarrier& FindMbarrier(Thread& self, const void* barrier);

}  // namespace samebits::gpu::simt

#endif  // SAMEBITS_GPU_SIMT_BARRIERS_H_
