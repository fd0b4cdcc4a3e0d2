// Checked loads and stores.
#ifndef SAMEBITS_GPU_SIMT_ACCESS_H_
#define SAMEBITS_GPU_SIMT_ACCESS_H_

#include <cstdint>

#include "gpu/simt/thread.h"

namespace samebits::gpu::simt {

enum class GlobalUse : uint8_t { kLoad, kStore, kAtomicLoad, kAtomicStore };
inline constexpr const char* kBeforeTheWait =
    "accesses global memory before the wait for the grid that this one depends on";

/// Faults unless the access is aligned, in bounds, of written memory and ordered after the accesses
/// that it conflicts with. `bytes` is also the alignment.
/// `unwritten_too`: the kernel does not use what no one has written.
void CheckSharedLoad(Thread& self, const void* address, int64_t bytes, Where where,
                     bool unwritten_too = false);
void CheckSharedStore(Thread& self, const void* address, int64_t bytes, Where where);
void CheckGlobalLoad(Thread& self, const void* address, int64_t bytes, Where where);
void CheckGlobalStore(Thread& self, const void* address, int64_t bytes, Where where);
/// The same of relaxed and stronger accesses, which may race with each other.
void CheckAtomicLoad(Thread& self, const void* address, int64_t bytes, Where where);
void CheckAtomicStore(Thread& self, const void* address, int64_t bytes, Where where);

/// The block of the thread's cluster whose shared memory holds all these bytes. Faults.
Block& SharedBlock(Thread& self, const void* address, int64_t bytes, int64_t alignment);
/// Faults unless one allocation holds all these bytes, or where another grid may use them.
void CheckGlobalRange(Thread& self, const void* address, int64_t bytes, int64_t alignment,
                      GlobalUse use);
/// Faults if a generic store of this launch lies behind the thread's last proxy fence for global
/// memory, which an asynchronous copy is about to read. Known of co-resident grids and of two that
/// run together only.
void CheckGlobalFence(Thread& self, const void* address, int64_t bytes);
/// Faults with the conflict, if there is one. `access`: "load of 4 bytes".
void Report(const Thread& self, const Block& block, const Conflict& conflict, const char* access,
            int64_t bytes);

}  // namespace samebits::gpu::simt

#endif  // SAMEBITS_GPU_SIMT_ACCESS_H_
