#include "gpu/simt/atomics.h"

#include <cstring>

#include "gpu/simt/access.h"
#include "gpu/simt/team.h"

namespace samebits::gpu::simt {

namespace {

constexpr int64_t kWord = sizeof(uint32_t);

// Teams on other processors may use the same word.
uint32_t Load(const uint32_t* global) { return __atomic_load_n(global, __ATOMIC_SEQ_CST); }

}  // namespace

uint32_t AtomicLoad(Thread& self, const uint32_t* global, Where where) {
  CheckAtomicLoad(self, global, sizeof(*global), where);
  self.team->Spin(self);
  return Load(global);
}

void AtomicStore(Thread& self, uint32_t* global, uint32_t value, Where where) {
  CheckAtomicStore(self, global, sizeof(*global), where);
  __atomic_store_n(global, value, __ATOMIC_SEQ_CST);
  self.team->Yield(self);
}

uint32_t AtomicAdd(Thread& self, uint32_t* global, uint32_t value, Where where) {
  CheckAtomicStore(self, global, sizeof(*global), where);
  const uint32_t old = __atomic_fetch_add(global, value, __ATOMIC_SEQ_CST);
  self.team->Yield(self);
  return old;
}

void LoadRelaxed(Thread& self, const void* global, void* value, int64_t bytes, Where where) {
  CheckAtomicLoad(self, global, bytes, where);
  self.team->Spin(self);
  const auto* from = static_cast<const uint32_t*>(global);
  auto* to = static_cast<uint32_t*>(value);
  for (int64_t i = 0; i < bytes / kWord; ++i) to[i] = Load(from + i);
}

void StoreRelaxed(Thread& self, void* global, const void* value, int64_t bytes, Where where) {
  CheckAtomicStore(self, global, bytes, where);
  const auto* from = static_cast<const uint32_t*>(value);
  auto* to = static_cast<uint32_t*>(global);
  for (int64_t i = 0; i < bytes / kWord; ++i) __atomic_store_n(to + i, from[i], __ATOMIC_SEQ_CST);
  self.team->Yield(self);
}

void FenceProxyAsyncGlobal(Thread& self, Where where) {
  self.where = where;
  self.global_fence = self.block->grid->stores.now();
}

void StoreMulticast(Thread& self, const Multicast& to, int64_t offset, const void* value,
                    int64_t bytes, Where where) {
  for (int i = 0; i < to.count; ++i) {
    std::byte* global = to.peers[i] + offset;
    CheckAtomicStore(self, global, bytes, where);
    std::memcpy(global, value, static_cast<size_t>(bytes));
  }
}

void Sleep(Thread& self, Where where) {
  self.where = where;
  self.team->Spin(self);
}

}  // namespace samebits::gpu::simt
