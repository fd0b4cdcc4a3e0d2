// What blocks of a cluster do with each other: their barrier and their distributed shared memory.
#ifndef SAMEBITS_GPU_SIMT_CLUSTER_H_
#define SAMEBITS_GPU_SIMT_CLUSTER_H_

#include <cstdint>

#include "gpu/simt/block.h"
#include "gpu/simt/thread.h"

namespace samebits::gpu::simt {

/// barrier.cluster.arrive by one thread of a warp that makes it together. A relaxed arrival orders
/// nothing but the initialisation of mbarriers that a fence follows.
void ClusterArrive(Thread& self, bool release, Where where);
/// barrier.cluster.wait, after one arrival.
void ClusterWait(Thread& self, Where where);
/// Both, for one thread.
void SyncCluster(Thread& self, Where where);
/// The thread, which ends, takes part in no further phase.
void LeaveCluster(Thread& self);

/// The address of the same place in the block of that rank (mapa).
std::byte* MapShared(Thread& self, const void* shared, int rank, Where where);
/// st.async: 4, 8 or 16 bytes to a block of the cluster, counted by an mbarrier of that block.
void StoreAsync(Thread& self, void* to, const void* value, int64_t bytes, void* mbarrier,
                Where where);
/// cp.async.bulk from this block's shared memory to that of a block of the cluster.
void BulkCopyRemote(Thread& self, void* to, const void* shared, int64_t bytes, void* mbarrier,
                    Where where);

}  // namespace samebits::gpu::simt

#endif  // SAMEBITS_GPU_SIMT_CLUSTER_H_
