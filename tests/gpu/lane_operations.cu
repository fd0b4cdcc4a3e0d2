// Every operation of the lane interface in a kernel of its own, for lane_operations_test.cc: the
// name of a kernel says what its PTX consists of.
#include "gpu/lane/cuda.cuh"

namespace samebits::gpu {
namespace {

using L = CudaLane;

__device__ L::Remote At(uint32_t address) { return {address}; }
__device__ uint64_t* Barrier() { return reinterpret_cast<uint64_t*>(L::shared()); }

}  // namespace

extern "C" {

// Clusters.
__global__ void cluster_rank(int* out) { *out = L::ClusterRank(); }
__global__ void cluster_index(int* out) { *out = L::ClusterIndex(); }
__global__ void cluster_blocks(int* out) { *out = L::ClusterBlocks(); }
__global__ void map_shared(uint32_t* out, int rank) {
  *out = L::MapShared(L::shared(), rank).address;
}
__global__ void cluster_arrive() { L::ClusterArrive(); }
__global__ void cluster_arrive_relaxed() { L::ClusterArriveRelaxed(); }
__global__ void cluster_wait() { L::ClusterWait(); }
__global__ void mbarrier_arrive_remote(uint32_t b) { L::MbarrierArriveRemote(At(b)); }
__global__ void mbarrier_wait_cluster(int parity) {
  L::MbarrierWaitCluster(reinterpret_cast<uint64_t*>(L::shared()), parity);
}
__global__ void store_async_4(uint32_t to, uint32_t b, uint32_t v) {
  L::StoreAsync(At(to), v, At(b));
}
__global__ void store_async_8(uint32_t to, uint32_t b, Word2 v) { L::StoreAsync(At(to), v, At(b)); }
__global__ void store_async_16(uint32_t to, uint32_t b, Word4 v) {
  L::StoreAsync(At(to), v, At(b));
}
__global__ void bulk_copy_remote(uint32_t to, uint32_t b) {
  L::BulkCopyRemote(At(to), L::shared(), 64, At(b));
}

// Tensor copies.
__global__ void tensor_map_acquire(const TensorMap* map) { L::TensorMapAcquire(map); }
__global__ void tensor_map_prefetch(const TensorMap* map) { L::TensorMapPrefetch(map); }
__global__ void tensor_load(const __grid_constant__ TensorMap map, int column, int row) {
  L::TensorLoad(L::shared(), &map, column, row, reinterpret_cast<uint64_t*>(L::shared() + 8192));
}
__global__ void tensor_load_multicast(const TensorMap* map, int column, int row, uint16_t ranks) {
  L::TensorLoadMulticast(L::shared(), map, column, row,
                         reinterpret_cast<uint64_t*>(L::shared() + 8192), ranks);
}
__global__ void tensor_prefetch(const TensorMap* map, int column, int row) {
  L::TensorPrefetch(map, column, row);
}

// Atomics.
__global__ void load_relaxed(uint32_t* p) { p[1] = L::AtomicLoad<Order::kRelaxed>(p); }
__global__ void load_acquire(uint32_t* p) { p[1] = L::AtomicLoad<Order::kAcquire>(p); }
__global__ void load_acquire_system(uint32_t* p) {
  p[1] = L::AtomicLoad<Order::kAcquire, Scope::kSystem>(p);
}
__global__ void load_relaxed_system(uint32_t* p) {
  p[1] = L::AtomicLoad<Order::kRelaxed, Scope::kSystem>(p);
}
__global__ void store_relaxed(uint32_t* p) { L::AtomicStore<Order::kRelaxed>(p, 1); }
__global__ void store_release(uint32_t* p) { L::AtomicStore<Order::kRelease>(p, 1); }
__global__ void store_relaxed_system(uint32_t* p) {
  L::AtomicStore<Order::kRelaxed, Scope::kSystem>(p, 1);
}
__global__ void store_release_system(uint32_t* p) {
  L::AtomicStore<Order::kRelease, Scope::kSystem>(p, 1);
}
__global__ void add_relaxed(uint32_t* p) { p[1] = L::AtomicAdd<Order::kRelaxed>(p, 1); }
__global__ void add_acquire(uint32_t* p) { p[1] = L::AtomicAdd<Order::kAcquire>(p, 1); }
__global__ void add_release(uint32_t* p) { L::AtomicAdd<Order::kRelease>(p, 1); }
__global__ void add_acquire_release(uint32_t* p) {
  p[1] = L::AtomicAdd<Order::kAcquireRelease>(p, 1);
}
__global__ void fence_gpu() { L::FenceAcquireRelease(); }
__global__ void fence_system() { L::FenceAcquireRelease<Scope::kSystem>(); }
__global__ void fence_proxy_global() { L::FenceProxyAsyncGlobal(); }
__global__ void load_polled_16(Word4* p) { p[1] = L::LoadRelaxed(p); }
__global__ void load_polled_8(Word2* p) { p[1] = L::LoadRelaxed(p); }
__global__ void load_polled_4(uint32_t* p) { p[1] = L::LoadRelaxed(p); }
__global__ void store_polled_16(Word4* p, Word4 v) { L::StoreRelaxed(p, v); }
__global__ void store_polled_8(Word2* p, Word2 v) { L::StoreRelaxed(p, v); }
__global__ void store_polled_4(uint32_t* p) { L::StoreRelaxed(p, 1); }
__global__ void store_system_16(Word4* p, Word4 v) { L::StoreSystem(p, v); }
__global__ void store_system_8(Word2* p, Word2 v) { L::StoreSystem(p, v); }
__global__ void store_multicast_16(Multicast m, Word4 v) { L::StoreMulticast(m, 0, v); }
__global__ void store_multicast_8(Multicast m, Word2 v) { L::StoreMulticast(m, 0, v); }
__global__ void store_global_16(Word4* p, Word4 v) { L::StoreGlobal(p, v); }
__global__ void sleep() { L::Sleep(100); }
__global__ void nanoseconds(uint64_t* out) { *out = L::Nanoseconds(); }

// Threads of a block.
__global__ void block_barrier() { L::BlockBarrier(); }
__global__ void named_barrier() { L::NamedBarrier(1, 128); }
__global__ void shuffle_xor(float* p) { p[1] = L::ShuffleXor(p[0], 1); }
__global__ void shuffle_index(float* p) { p[1] = L::ShuffleIndex(p[0], 1); }
__global__ void mbarrier_init() { L::MbarrierInit(Barrier(), 1); }
__global__ void mbarrier_init_fence() { L::MbarrierInitFence(); }
__global__ void mbarrier_arrive() { L::MbarrierArrive(Barrier()); }
__global__ void mbarrier_arrive_expect() { L::MbarrierArriveExpect(Barrier(), 64); }
__global__ void mbarrier_wait(int parity) { L::MbarrierWait(Barrier(), parity); }
__global__ void copy_async(const void* from) { L::CopyAsync16(L::shared(), from); }
__global__ void copy_async_commit() { L::CopyAsyncCommit(); }
__global__ void copy_async_wait() { L::CopyAsyncWaitAll(); }
__global__ void bulk_load(const void* from) { L::BulkLoad(L::shared() + 64, from, 64, Barrier()); }
__global__ void bulk_store(void* to) { L::BulkStore(to, L::shared(), 64); }
__global__ void bulk_commit() { L::BulkCommit(); }
__global__ void bulk_wait_read() { L::BulkWaitRead(); }
__global__ void bulk_wait_all() { L::BulkWaitAll(); }
__global__ void fence_proxy() { L::FenceProxyAsync(); }
__global__ void registers_decrease() { L::RegistersDecrease<40>(); }
__global__ void registers_increase() { L::RegistersIncrease<232>(); }
__global__ void grid_dependency_wait() { L::GridDependencyWait(); }
__global__ void grid_launch_dependents() { L::GridLaunchDependents(); }
__global__ void prefetch_global(const void* p) { L::PrefetchGlobal(p); }
__global__ void warp_barrier() { L::WarpBarrier(); }
__global__ void elect_one(bool* out) { *out = L::ElectOne(); }
__global__ void named_barrier_arrive() { L::NamedBarrierArrive(1, 128); }
__global__ void copy_async_arrive() {
  L::CopyAsyncArrive(reinterpret_cast<uint64_t*>(L::shared()));
}

// Arithmetic.
__global__ void ex2(float* p) { p[1] = L::Ex2(p[0]); }
__global__ void rcp(float* p) { p[1] = L::Rcp(p[0]); }
__global__ void sqrt_approx(float* p) { p[1] = L::Sqrt(p[0]); }
__global__ void rsqrt_approx(float* p) { p[1] = L::Rsqrt(p[0]); }
__global__ void div_full(float* p) { p[2] = L::DivFull(p[0], p[1]); }
__global__ void add(float* p) { p[2] = L::Add(p[0], p[1]); }
__global__ void sub(float* p) { p[2] = L::Sub(p[0], p[1]); }
__global__ void mul(float* p) { p[2] = L::Mul(p[0], p[1]); }
__global__ void fma_nearest(float* p) { p[3] = L::Fma(p[0], p[1], p[2]); }
__global__ void to_bf16(float* p, uint16_t* q) { *q = L::ToBf16(*p); }
__global__ void mma_bf16(float* p, uint32_t* q) {
  float d[4] = {p[0], p[1], p[2], p[3]};
  L::MmaBf16(d, {q[0], q[1], q[2], q[3]}, {q[4], q[5]});
  p[0] = d[0], p[1] = d[1], p[2] = d[2], p[3] = d[3];
}
__global__ void ex2_ftz(float* p) { p[1] = L::Ex2Ftz(p[0]); }
__global__ void rcp_ftz(float* p) { p[1] = L::RcpFtz(p[0]); }
__global__ void tanh_approx(float* p) { p[1] = L::Tanh(p[0]); }
__global__ void fma_down(float* p) { p[3] = L::FmaDown(p[0], p[1], p[2]); }
__global__ void fma_saturate(float* p) { p[3] = L::FmaSaturate(p[0], p[1], p[2]); }
__global__ void min_f32(float* p) { p[2] = L::Min(p[0], p[1]); }
__global__ void max_f32(float* p) { p[2] = L::Max(p[0], p[1]); }
__global__ void to_bf16_pair(float* p) { p[2] = L::FromBits(L::ToBf16Pair(p[0], p[1])); }

// Matrix units.
__global__ void wgmma_fence() { L::WgmmaFence(); }
__global__ void wgmma_commit() { L::WgmmaCommit(); }
__global__ void wgmma_wait() { L::WgmmaWait<0>(); }
__global__ void tmem_allocate() { L::TmemAllocate(reinterpret_cast<uint32_t*>(L::shared()), 32); }
__global__ void tmem_relinquish() { L::TmemRelinquish(); }
__global__ void tmem_free(uint32_t tmem) { L::TmemFree(tmem, 32); }
__global__ void tcgen05_mma(uint32_t d, uint64_t a, uint64_t b, bool accumulate) {
  L::Tcgen05Mma(d, a, b, Tcgen05Instruction(64), accumulate);
}
__global__ void tcgen05_commit() { L::Tcgen05Commit(reinterpret_cast<uint64_t*>(L::shared())); }
__global__ void tcgen05_fence_before() { L::Tcgen05FenceBefore(); }
__global__ void tcgen05_fence_after() { L::Tcgen05FenceAfter(); }
__global__ void tmem_load_wait() { L::TmemLoadWait(); }

}  // extern "C"

/// A product of kN columns, from shared memory to global memory.
template <int kN>
__global__ void WgmmaProduct(float* out) {
  float d[kN / 2] = {};
  const uint64_t a = L::WgmmaDescriptor(L::shared());
  const uint64_t b = L::WgmmaDescriptor(L::shared() + 8192);
  L::WgmmaFence();
  for (int s = 0; s < 4; ++s) L::Wgmma<kN>(d, a + 2 * s, b + 2 * s, s != 0);
  L::WgmmaCommit();
  L::WgmmaWait<0>();
  for (int i = 0; i < kN / 2; ++i) out[i * 128 + threadIdx.x] = d[i];
}
/// The same with A from registers.
template <int kN>
__global__ void WgmmaProductOfRegisters(float* out, const uint32_t* in) {
  float d[kN / 2] = {};
  uint32_t a[4][4];
  for (int i = 0; i < 16; ++i) a[i / 4][i % 4] = in[i * 128 + threadIdx.x];
  const uint64_t b = L::WgmmaDescriptor(L::shared());
  L::WgmmaFence();
  for (int s = 0; s < 4; ++s) L::Wgmma<kN>(d, a[s], b + 2 * s, s != 0);
  L::WgmmaCommit();
  L::WgmmaWait<0>();
  for (int i = 0; i < kN / 2; ++i) out[i * 128 + threadIdx.x] = d[i];
}
template <int kColumns>
__global__ void TmemRead(float* out, uint32_t tmem) {
  float r[kColumns];
  L::TmemLoad<kColumns>(r, tmem);
  L::TmemLoadWait();
  for (int i = 0; i < kColumns; ++i) out[i * 128 + threadIdx.x] = r[i];
}

#define SAMEBITS_PRODUCT(n)                         \
  template __global__ void WgmmaProduct<n>(float*); \
  template __global__ void WgmmaProductOfRegisters<n>(float*, const uint32_t*);
#define SAMEBITS_PRODUCTS(n) \
  SAMEBITS_PRODUCT(n) SAMEBITS_PRODUCT(n + 8) SAMEBITS_PRODUCT(n + 16) SAMEBITS_PRODUCT(n + 24)
SAMEBITS_PRODUCTS(8)
SAMEBITS_PRODUCTS(40)
SAMEBITS_PRODUCTS(72)
SAMEBITS_PRODUCTS(104)
SAMEBITS_PRODUCTS(136)
SAMEBITS_PRODUCTS(168)
SAMEBITS_PRODUCTS(200)
SAMEBITS_PRODUCTS(232)
#undef SAMEBITS_PRODUCTS
#undef SAMEBITS_PRODUCT
template __global__ void TmemRead<1>(float*, uint32_t);
template __global__ void TmemRead<2>(float*, uint32_t);
template __global__ void TmemRead<4>(float*, uint32_t);
template __global__ void TmemRead<8>(float*, uint32_t);
template __global__ void TmemRead<16>(float*, uint32_t);
template __global__ void TmemRead<32>(float*, uint32_t);
template __global__ void TmemRead<64>(float*, uint32_t);
template __global__ void TmemRead<128>(float*, uint32_t);

}  // namespace samebits::gpu
