// The matrix unit of sm_100a: products onto tensor memory.
#ifndef SAMEBITS_GPU_SIMT_TCGEN05_H_
#define SAMEBITS_GPU_SIMT_TCGEN05_H_

#include <cstdint>

#include "gpu/simt/block.h"
#include "gpu/simt/thread.h"

namespace samebits::gpu::simt {

// By all lanes of a warp.
void TmemAllocate(Thread& self, uint32_t* shared, int columns, Where where);
void TmemRelinquish(Thread& self, Where where);
void TmemFree(Thread& self, uint32_t tmem, int columns, Where where);
/// `r` has `columns` values, which are there after TmemLoadWait.
void TmemLoad(Thread& self, float* r, int columns, uint32_t tmem, Where where);
void TmemLoadWait(Thread& self, Where where);

// By one thread.
void Tcgen05Mma(Thread& self, uint32_t d, uint64_t a, uint64_t b, uint32_t instruction,
                bool accumulate, Where where);
void Tcgen05Commit(Thread& self, void* mbarrier, Where where);
void Tcgen05FenceBefore(Thread& self, Where where);
void Tcgen05FenceAfter(Thread& self, Where where);

/// Fault if a thread or a block ends before its products are complete, or their results read;
/// a block also if it keeps tensor memory.
void CheckNoProducts(Thread& self);
void CheckBlockProducts(const Thread& last);

}  // namespace samebits::gpu::simt

#endif  // SAMEBITS_GPU_SIMT_TCGEN05_H_
