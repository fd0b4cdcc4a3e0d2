#include "gpu/simt/messages.h"

#include <cstring>

#include "gpu/simt/access.h"
#include "gpu/simt/team.h"

namespace samebits::gpu::simt {
namespace {

Word2 Load(const Word2* from) {
  Word2 value;
  std::memcpy(&value, static_cast<const void*>(from), sizeof(value));
  return value;
}

/// The first message without the tag, null if all have it.
const Word2* FirstMissing(const Word2* const* at, int count, uint32_t tag) {
  for (int i = 0; i < count; ++i) {
    if (Load(at[i]).y != tag) return at[i];
  }
  return nullptr;
}

}  // namespace

std::vector<Thread*> MessageBoard::Take(const void* address) {
  const auto found = waiting_.find(address);
  if (found == waiting_.end()) return {};
  std::vector<Thread*> threads = std::move(found->second);
  waiting_.erase(found);
  return threads;
}

void MessageBoard::Complete(Thread* thread) {
  const auto found = later_.find(thread);
  if (found == later_.end()) return;
  for (const Store& store : found->second) std::memcpy(store.to, &store.value, sizeof(store.value));
  later_.erase(found);
}

void PutMessage(Thread& self, Word2* to, uint32_t value, uint32_t tag, Where where) {
  CheckAtomicStore(self, to, sizeof(Word2), where);
  const Word2 message = {value, tag};
  std::memcpy(static_cast<void*>(to), &message, sizeof(message));
  const std::vector<Thread*> woken = self.team->messages().Take(to);
  self.team->Wake(woken);
  self.team->Pause(self);
}

void PollMessages(Thread& self, const Word2* const* at, int count, uint32_t tag, uint32_t* values,
                  Where where) {
  for (int i = 0; i < count; ++i) CheckAtomicLoad(self, at[i], sizeof(Word2), where);
  while (const Word2* missing = FirstMissing(at, count, tag)) {
    self.wait = WaitFor::kMessage;
    self.wait_object = static_cast<int64_t>(reinterpret_cast<intptr_t>(missing));
    self.wait_detail = tag;
    self.team->messages().Wait(missing, &self);
    self.team->Suspend(self);
  }
  for (int i = 0; i < count; ++i) values[i] = Load(at[i]).x;
  self.team->Pause(self);
}

void StoreDevice(Thread& self, Word2* to, Word2 value, Where where) {
  CheckGlobalStore(self, to, sizeof(Word2), where);
  if (self.team->CompletesEarly()) {
    std::memcpy(static_cast<void*>(to), &value, sizeof(value));
  } else {
    self.team->messages().StoreLater(&self, to, value);
  }
  self.team->Pause(self);
}

void WaitStores(Thread& self, Where where) {
  self.where = where;
  self.team->messages().Complete(&self);
  self.team->Pause(self);
}

}  // namespace samebits::gpu::simt
