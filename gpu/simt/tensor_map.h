// Tensor maps under the executor, and the copies through them.
#ifndef SAMEBITS_GPU_SIMT_TENSOR_MAP_H_
#define SAMEBITS_GPU_SIMT_TENSOR_MAP_H_

#include <cstdint>

#include "gpu/lane/tensor_map.h"
#include "gpu/simt/thread.h"

namespace samebits::gpu::simt {

/// The map that HostLane reads. Throws ConfigError that names the field.
TensorMap EncodeTensorMap(const TensorDescription& description);

/// The set of the thread's own block.
uint32_t OwnRank(const Thread& self);
/// A copy of the map's box to the same place in every block of the cluster whose bit is set in
/// `ranks`, each counted by the mbarrier at the place of `mbarrier` there.
void TensorLoad(Thread& self, void* shared, const TensorMap* map, int column, int row,
                void* mbarrier, uint32_t ranks, Where where);
/// Before copies of this thread through a map that lies in global memory.
void TensorMapAcquire(Thread& self, const TensorMap* map, Where where);
/// Faults unless the map can be used.
void CheckTensorMap(Thread& self, const TensorMap* map, Where where);

/// Where a 16-byte chunk of a tile with 128-byte swizzle lies: an offset in the shared memory of a
/// block to an offset there.
inline int64_t Swizzle128(int64_t offset) { return offset ^ (offset >> 7 & 7) << 4; }

}  // namespace samebits::gpu::simt

#endif  // SAMEBITS_GPU_SIMT_TENSOR_MAP_H_
