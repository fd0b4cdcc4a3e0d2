// Accesses to global memory by which blocks wait for each other.
#ifndef SAMEBITS_GPU_SIMT_ATOMICS_H_
#define SAMEBITS_GPU_SIMT_ATOMICS_H_

#include <cstdint>

#include "gpu/lane/types.h"
#include "gpu/simt/thread.h"

namespace samebits::gpu::simt {

uint32_t AtomicLoad(Thread& self, const uint32_t* global, Where where);
void AtomicStore(Thread& self, uint32_t* global, uint32_t value, Where where);
uint32_t AtomicAdd(Thread& self, uint32_t* global, uint32_t value, Where where);
/// 4, 8 or 16 bytes, every word of them whole.
void LoadRelaxed(Thread& self, const void* global, void* value, int64_t bytes, Where where);
void StoreRelaxed(Thread& self, void* global, const void* value, int64_t bytes, Where where);
void FenceProxyAsyncGlobal(Thread& self, Where where);
/// One store to each of the memories.
void StoreMulticast(Thread& self, const Multicast& to, int64_t offset, const void* value,
                    int64_t bytes, Where where);
/// Others run.
void Sleep(Thread& self, Where where);

}  // namespace samebits::gpu::simt

#endif  // SAMEBITS_GPU_SIMT_ATOMICS_H_
