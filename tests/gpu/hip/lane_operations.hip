// Every operation of the lane interface on AMD GPUs in a kernel of its own, for
// lane_operations_test.cc: the name of a kernel says what its instructions are.
#include "gpu/lane/hip.h"

namespace samebits::gpu {
namespace {

using L = HipLane;

}  // namespace

#define SAMEBITS_KERNEL extern "C" __attribute__((global)) void
// A thread's own element, so that addresses are not uniform.
#define SAMEBITS_AT(p) ((p) + L::ThreadIndex())

SAMEBITS_KERNEL thread_index(int* p) { *SAMEBITS_AT(p) = 7; }
SAMEBITS_KERNEL block_index(int* p) { *SAMEBITS_AT(p) = L::BlockIndex(); }
SAMEBITS_KERNEL shuffle_xor_1(float* p) { *SAMEBITS_AT(p) = L::ShuffleXor<1>(*SAMEBITS_AT(p)); }
SAMEBITS_KERNEL shuffle_xor_2(float* p) { *SAMEBITS_AT(p) = L::ShuffleXor<2>(*SAMEBITS_AT(p)); }
SAMEBITS_KERNEL shuffle_xor_4(float* p) { *SAMEBITS_AT(p) = L::ShuffleXor<4>(*SAMEBITS_AT(p)); }
SAMEBITS_KERNEL shuffle_xor_8(float* p) { *SAMEBITS_AT(p) = L::ShuffleXor<8>(*SAMEBITS_AT(p)); }
SAMEBITS_KERNEL shuffle_xor_16(float* p) { *SAMEBITS_AT(p) = L::ShuffleXor<16>(*SAMEBITS_AT(p)); }
SAMEBITS_KERNEL shuffle_xor_32(float* p) { *SAMEBITS_AT(p) = L::ShuffleXor<32>(*SAMEBITS_AT(p)); }
SAMEBITS_KERNEL uniform(int* p) { *SAMEBITS_AT(p) = L::Uniform(*SAMEBITS_AT(p)); }
SAMEBITS_KERNEL block_barrier() { L::BlockBarrier(); }
SAMEBITS_KERNEL wait_stores() { L::WaitStores(); }
SAMEBITS_KERNEL sleep() { L::Sleep<1>(); }
SAMEBITS_KERNEL set_priority() { L::SetPriority<3>(); }
SAMEBITS_KERNEL mfma_16(Float4* d, const Word2* a, const Word2* b) {
  L::Mfma16(*SAMEBITS_AT(d), *SAMEBITS_AT(a), *SAMEBITS_AT(b));
}
SAMEBITS_KERNEL mfma_32(Float4* d, const Word4* a, const Word4* b) {
  L::Mfma32(*SAMEBITS_AT(d), *SAMEBITS_AT(a), *SAMEBITS_AT(b));
}
SAMEBITS_KERNEL exp2_native(float* p) { *SAMEBITS_AT(p) = L::Exp2Native(*SAMEBITS_AT(p)); }
SAMEBITS_KERNEL rsq_native(float* p) { *SAMEBITS_AT(p) = L::RsqNative(*SAMEBITS_AT(p)); }
SAMEBITS_KERNEL rcp_native(float* p) { *SAMEBITS_AT(p) = L::RcpNative(*SAMEBITS_AT(p)); }
SAMEBITS_KERNEL add(Float2* p, float* o) {
  *SAMEBITS_AT(o) = L::Add(SAMEBITS_AT(p)->x, SAMEBITS_AT(p)->y);
}
SAMEBITS_KERNEL sub(Float2* p, float* o) {
  *SAMEBITS_AT(o) = L::Sub(SAMEBITS_AT(p)->x, SAMEBITS_AT(p)->y);
}
SAMEBITS_KERNEL mul(Float2* p, float* o) {
  *SAMEBITS_AT(o) = L::Mul(SAMEBITS_AT(p)->x, SAMEBITS_AT(p)->y);
}
SAMEBITS_KERNEL fma(Float4* p, float* o) {
  *SAMEBITS_AT(o) = L::Fma(SAMEBITS_AT(p)->x, SAMEBITS_AT(p)->y, SAMEBITS_AT(p)->z);
}
SAMEBITS_KERNEL mul_add(Float4* p, float* o) {
  *SAMEBITS_AT(o) = L::Add(L::Mul(SAMEBITS_AT(p)->x, SAMEBITS_AT(p)->y), SAMEBITS_AT(p)->z);
}
SAMEBITS_KERNEL div(Float2* p, float* o) {
  *SAMEBITS_AT(o) = L::Div(SAMEBITS_AT(p)->x, SAMEBITS_AT(p)->y);
}
SAMEBITS_KERNEL maximum(Float2* p, float* o) {
  *SAMEBITS_AT(o) = L::Maximum(SAMEBITS_AT(p)->x, SAMEBITS_AT(p)->y);
}
SAMEBITS_KERNEL fma_64(double* p, double* o) {
  *SAMEBITS_AT(o) = L::Fma64(*SAMEBITS_AT(p), *SAMEBITS_AT(p), *SAMEBITS_AT(p));
}
SAMEBITS_KERNEL round_even_64(double* p) { *SAMEBITS_AT(p) = L::RoundEven64(*SAMEBITS_AT(p)); }
SAMEBITS_KERNEL ldexp_64(double* p, int n) { *SAMEBITS_AT(p) = L::Ldexp64(*SAMEBITS_AT(p), n); }
SAMEBITS_KERNEL sqrt_64(double* p) { *SAMEBITS_AT(p) = L::Sqrt64(*SAMEBITS_AT(p)); }
SAMEBITS_KERNEL load_store_global_4(Word2* p, uint32_t* o) {
  L::StoreGlobal(SAMEBITS_AT(o), L::LoadGlobal(&SAMEBITS_AT(p)->x));
}
SAMEBITS_KERNEL load_store_global_8(Word2* p) {
  L::StoreGlobal(SAMEBITS_AT(p), L::LoadGlobal(SAMEBITS_AT(p) + 64));
}
SAMEBITS_KERNEL load_store_global_16(Float4* p) {
  L::StoreGlobal(SAMEBITS_AT(p), L::LoadGlobal(SAMEBITS_AT(p) + 64));
}
SAMEBITS_KERNEL load_non_temporal(Word4* p) {
  L::StoreGlobal(SAMEBITS_AT(p), L::LoadNonTemporal(SAMEBITS_AT(p) + 64));
}
SAMEBITS_KERNEL load_device(const void* p, Word4* o) {
  L::StoreGlobal(SAMEBITS_AT(o), L::LoadDevice(p, 65536, 16 * L::ThreadIndex()));
}
SAMEBITS_KERNEL store_device(Word2* p, Word2 v) { L::StoreDevice(SAMEBITS_AT(p), v); }
SAMEBITS_KERNEL load_shared_16(Float4* o) {
  *SAMEBITS_AT(o) = L::LoadShared(reinterpret_cast<const Float4*>(L::shared()) + L::ThreadIndex());
}
SAMEBITS_KERNEL store_shared_16(Float4 v) {
  L::StoreShared(reinterpret_cast<Float4*>(L::shared()) + L::ThreadIndex(), v);
}
SAMEBITS_KERNEL atomic_load_relaxed(uint32_t* p) {
  *SAMEBITS_AT(p) = L::AtomicLoad<Order::kRelaxed>(SAMEBITS_AT(p) + 64);
}
SAMEBITS_KERNEL atomic_load_acquire(uint32_t* p) {
  *SAMEBITS_AT(p) = L::AtomicLoad<Order::kAcquire>(SAMEBITS_AT(p) + 64);
}
SAMEBITS_KERNEL atomic_load_acquire_system(uint32_t* p) {
  *SAMEBITS_AT(p) = L::AtomicLoad<Order::kAcquire, Scope::kSystem>(SAMEBITS_AT(p) + 64);
}
SAMEBITS_KERNEL atomic_store_relaxed(uint32_t* p) {
  L::AtomicStore<Order::kRelaxed>(SAMEBITS_AT(p), 1);
}
SAMEBITS_KERNEL atomic_store_release(uint32_t* p) {
  L::AtomicStore<Order::kRelease>(SAMEBITS_AT(p), 1);
}
SAMEBITS_KERNEL atomic_store_release_system(uint32_t* p) {
  L::AtomicStore<Order::kRelease, Scope::kSystem>(SAMEBITS_AT(p), 1);
}
SAMEBITS_KERNEL put_message(Word2* p, uint32_t v) { L::PutMessage(SAMEBITS_AT(p), v, 9); }
SAMEBITS_KERNEL poll_messages(const Word2* p, Word2* o) {
  const Word2* at[2] = {SAMEBITS_AT(p), SAMEBITS_AT(p) + 64};
  uint32_t values[2];
  L::PollMessages(at, 9, 1000, values);
  *SAMEBITS_AT(o) = {values[0], values[1]};
}
SAMEBITS_KERNEL to_bf16_pair(Float2* p, uint32_t* o) {
  *SAMEBITS_AT(o) = L::ToBf16Pair(SAMEBITS_AT(p)->x, SAMEBITS_AT(p)->y);
}
SAMEBITS_KERNEL from_bf16(uint16_t* p, float* o) { *SAMEBITS_AT(o) = L::FromBf16(*SAMEBITS_AT(p)); }

#undef SAMEBITS_KERNEL
#undef SAMEBITS_AT

}  // namespace samebits::gpu
