#include "gpu/simt/atomics.h"

#include <cstring>

#include "gpu/simt/access.h"
#include "gpu/simt/team.h"

namespace samebits::gpu::simt {

namespace {

// Teams on other processors may use the same word.
uint32_t Load(const uint32_t* global) { return __atomic_load_n(global, __ATOMIC_SEQ_CST); }

}  // namespace

uint32_t AtomicLoad(Thread& self, const uint32_t* global, Where where) {
  CheckGlobalLoad(self, global, sizeof(*global), where);
  self.team->Spin(self);
  return Load(global);
}

void AtomicStore(Thread& self, uint32_t* global, uint32_t value, Where where) {
  CheckGlobalStore(self, global, sizeof(*global), where);
  __atomic_store_n(global, value, __ATOMIC_SEQ_CST);
  self.team->Yield(self);
}

uint32_t AtomicAdd(Thread& self, uint32_t* global, uint32_t value, Where where) {
  CheckGlobalStore(self, global, sizeof(*global), where);
  const uint32_t old = __atomic_fetch_add(global, value, __ATOMIC_SEQ_CST);
  self.team->Yield(self);
  return old;
}

void LoadRelaxed(Thread& self, const void* global, uint32_t (&words)[4], Where where) {
  CheckGlobalLoad(self, global, sizeof(words), where);
  self.team->Spin(self);
  const auto* from = static_cast<const uint32_t*>(global);
  for (int i = 0; i < 4; ++i) words[i] = Load(from + i);
}

void StoreRelaxed(Thread& self, void* global, const uint32_t (&words)[4], Where where) {
  CheckGlobalStore(self, global, sizeof(words), where);
  auto* to = static_cast<uint32_t*>(global);
  for (int i = 0; i < 4; ++i) __atomic_store_n(to + i, words[i], __ATOMIC_SEQ_CST);
  self.team->Yield(self);
}

void FenceProxyAsyncGlobal(Thread& self, Where where) {
  self.where = where;
  self.global_fence = self.team->global_time();
}

void StoreMulticast(Thread& self, const Multicast& to, int64_t offset, const void* value,
                    int64_t bytes, Where where) {
  for (int i = 0; i < to.count; ++i) {
    std::byte* global = to.peers[i] + offset;
    CheckGlobalStore(self, global, bytes, where);
    std::memcpy(global, value, static_cast<size_t>(bytes));
  }
}

void Sleep(Thread& self, Where where) {
  self.where = where;
  self.team->Spin(self);
}

}  // namespace samebits::gpu::simt
