// The lane interface on NVIDIA GPUs, sm_90a and sm_100a. Operations: README.md of this folder.
#ifndef SAMEBITS_GPU_LANE_CUDA_CUH_
#define SAMEBITS_GPU_LANE_CUDA_CUH_

#include <cstddef>
#include <cstdint>

#include "gpu/lane/annotate.h"
#include "gpu/lane/cuda_address.cuh"
#include "gpu/lane/cuda_atomics.cuh"
#include "gpu/lane/cuda_cluster.cuh"
#include "gpu/lane/cuda_polling.cuh"
#include "gpu/lane/cuda_tcgen05.cuh"
#include "gpu/lane/cuda_tensor_copies.cuh"
#include "gpu/lane/cuda_wgmma.cuh"
#include "gpu/lane/types.h"

namespace samebits::gpu {

struct CudaLane : cuda::ClusterOperations,
                  cuda::TensorCopies,
                  cuda::WarpgroupMma,
                  cuda::Tcgen05,
                  cuda::Atomics,
                  cuda::Polling {
  // Ids and shared memory.
  static SAMEBITS_DEVICE int ThreadIndex() { return static_cast<int>(threadIdx.x); }
  static SAMEBITS_DEVICE int BlockIndex() { return static_cast<int>(blockIdx.x); }
  static SAMEBITS_DEVICE int GridBlocks() { return static_cast<int>(gridDim.x); }
  static SAMEBITS_DEVICE std::byte* shared() {
    extern __shared__ __align__(1024) std::byte samebits_shared[];
    return samebits_shared;
  }

  // Warps.
  static SAMEBITS_DEVICE float ShuffleXor(float value, int mask) {
    return __shfl_xor_sync(0xFFFFFFFFu, value, mask);
  }
  static SAMEBITS_DEVICE float ShuffleIndex(float value, int lane) {
    return __shfl_sync(0xFFFFFFFFu, value, lane);
  }
  static SAMEBITS_DEVICE void WarpBarrier() { __syncwarp(); }
  static SAMEBITS_DEVICE bool ElectOne() {
    uint32_t elected;
    asm volatile("{\n\t.reg .pred p;\n\telect.sync _|p, 0xFFFFFFFF;\n\tselp.u32 %0, 1, 0, p;\n\t}"
                 : "=r"(elected));
    return elected != 0;
  }

  // Barriers.
  static SAMEBITS_DEVICE void BlockBarrier() { __syncthreads(); }
  static SAMEBITS_DEVICE void NamedBarrier(int id, int threads) {
    asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
  }
  static SAMEBITS_DEVICE void NamedBarrierArrive(int id, int threads) {
    asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
  }
  static SAMEBITS_DEVICE void MbarrierInit(uint64_t* barrier, int arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(SharedAddress(barrier)),
                 "r"(arrivals)
                 : "memory");
  }
  static SAMEBITS_DEVICE void MbarrierInitFence() {
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  static SAMEBITS_DEVICE void MbarrierArrive(uint64_t* barrier) {
    asm volatile(
        "mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];" ::"r"(SharedAddress(barrier))
        : "memory");
  }
  static SAMEBITS_DEVICE void MbarrierArriveExpect(uint64_t* barrier, int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], %1;" ::"r"(
                     SharedAddress(barrier)),
                 "r"(bytes)
                 : "memory");
  }
  static SAMEBITS_DEVICE void MbarrierWait(uint64_t* barrier, int parity) {
    const uint32_t address = SharedAddress(barrier);
    uint32_t complete;
    do {
      asm volatile(
          "{\n\t.reg .pred p;\n\t"
          "mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p, [%1], %2;\n\t"
          "selp.u32 %0, 1, 0, p;\n\t}"
          : "=r"(complete)
          : "r"(address), "r"(parity)
          : "memory");
    } while (complete == 0);
  }

  // Asynchronous copies.
  static SAMEBITS_DEVICE void CopyAsync16(void* shared, const void* global) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(SharedAddress(shared)),
                 "l"(GlobalAddress(global))
                 : "memory");
  }
  static SAMEBITS_DEVICE void CopyAsyncCommit() {
    asm volatile("cp.async.commit_group;" ::: "memory");
  }
  static SAMEBITS_DEVICE void CopyAsyncWaitAll() {
    asm volatile("cp.async.wait_group 0;" ::: "memory");
  }
  static SAMEBITS_DEVICE void CopyAsyncArrive(uint64_t* barrier) {
    asm volatile(
        "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(SharedAddress(barrier))
        : "memory");
  }
  static SAMEBITS_DEVICE void BulkLoad(void* shared, const void* global, int bytes,
                                       uint64_t* barrier) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
            "r"(SharedAddress(shared)),
        "l"(GlobalAddress(global)), "r"(bytes), "r"(SharedAddress(barrier))
        : "memory");
  }
  static SAMEBITS_DEVICE void BulkStore(void* global, const void* shared, int bytes) {
    asm volatile(
        "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(GlobalAddress(global)),
        "r"(SharedAddress(shared)), "r"(bytes)
        : "memory");
  }
  static SAMEBITS_DEVICE void BulkCommit() {
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
  }
  static SAMEBITS_DEVICE void BulkWaitRead() {
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
  }
  static SAMEBITS_DEVICE void BulkWaitAll() {
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  }
  static SAMEBITS_DEVICE void FenceProxyAsync() {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }

  // Registers and grids.
  template <int kRegisters>
  static SAMEBITS_DEVICE void RegistersDecrease() {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kRegisters));
  }
  template <int kRegisters>
  static SAMEBITS_DEVICE void RegistersIncrease() {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kRegisters));
  }
  static SAMEBITS_DEVICE void GridDependencyWait() {
    asm volatile("griddepcontrol.wait;" ::: "memory");
  }
  static SAMEBITS_DEVICE void GridLaunchDependents() {
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
  }

  // Matrix unit.
  static SAMEBITS_DEVICE void MmaBf16(float (&d)[4], const uint32_t (&a)[4],
                                      const uint32_t (&b)[2]) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }

  // Special functions.
  static SAMEBITS_DEVICE float Ex2(float x) {
    float y;
    asm("ex2.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
  }
  static SAMEBITS_DEVICE float Rcp(float x) {
    float y;
    asm("rcp.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
  }
  static SAMEBITS_DEVICE float Sqrt(float x) {
    float y;
    asm("sqrt.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
  }
  static SAMEBITS_DEVICE float Rsqrt(float x) {
    float y;
    asm("rsqrt.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
  }
  static SAMEBITS_DEVICE float Ex2Ftz(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
  }
  static SAMEBITS_DEVICE float RcpFtz(float x) {
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
  }
  static SAMEBITS_DEVICE float Tanh(float x) {
    float y;
    asm("tanh.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
  }
  static SAMEBITS_DEVICE float DivFull(float a, float b) {
    float y;
    asm("div.full.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b));
    return y;
  }

  // Arithmetic.
  static SAMEBITS_DEVICE float Add(float a, float b) { return __fadd_rn(a, b); }
  static SAMEBITS_DEVICE float Sub(float a, float b) { return __fsub_rn(a, b); }
  static SAMEBITS_DEVICE float Mul(float a, float b) { return __fmul_rn(a, b); }
  static SAMEBITS_DEVICE float Fma(float a, float b, float c) { return __fmaf_rn(a, b, c); }
  static SAMEBITS_DEVICE float Div(float a, float b) { return __fdiv_rn(a, b); }
  static SAMEBITS_DEVICE float FmaDown(float a, float b, float c) { return __fmaf_rd(a, b, c); }
  static SAMEBITS_DEVICE float FmaSaturate(float a, float b, float c) {
    float d;
    asm("fma.rn.sat.f32 %0, %1, %2, %3;" : "=f"(d) : "f"(a), "f"(b), "f"(c));
    return d;
  }
  static SAMEBITS_DEVICE float Min(float a, float b) {
    float d;
    asm("min.f32 %0, %1, %2;" : "=f"(d) : "f"(a), "f"(b));
    return d;
  }
  static SAMEBITS_DEVICE float Max(float a, float b) {
    float d;
    asm("max.f32 %0, %1, %2;" : "=f"(d) : "f"(a), "f"(b));
    return d;
  }
  static SAMEBITS_DEVICE Float2 Add2(Float2 a, Float2 b) {
#if __CUDA_ARCH__ >= 1000
    Float2 d;
    asm("{\n\t.reg .b64 a, b, d;\n\tmov.b64 a, {%2, %3};\n\tmov.b64 b, {%4, %5};\n\t"
        "add.rn.f32x2 d, a, b;\n\tmov.b64 {%0, %1}, d;\n\t}"
        : "=f"(d.x), "=f"(d.y)
        : "f"(a.x), "f"(a.y), "f"(b.x), "f"(b.y));
    return d;
#else
    return {Add(a.x, b.x), Add(a.y, b.y)};
#endif
  }
  static SAMEBITS_DEVICE Float2 Mul2(Float2 a, Float2 b) {
#if __CUDA_ARCH__ >= 1000
    Float2 d;
    asm("{\n\t.reg .b64 a, b, d;\n\tmov.b64 a, {%2, %3};\n\tmov.b64 b, {%4, %5};\n\t"
        "mul.rn.f32x2 d, a, b;\n\tmov.b64 {%0, %1}, d;\n\t}"
        : "=f"(d.x), "=f"(d.y)
        : "f"(a.x), "f"(a.y), "f"(b.x), "f"(b.y));
    return d;
#else
    return {Mul(a.x, b.x), Mul(a.y, b.y)};
#endif
  }
  static SAMEBITS_DEVICE Float2 Fma2(Float2 a, Float2 b, Float2 c) {
#if __CUDA_ARCH__ >= 1000
    Float2 d;
    asm("{\n\t.reg .b64 a, b, c, d;\n\tmov.b64 a, {%2, %3};\n\tmov.b64 b, {%4, %5};\n\t"
        "mov.b64 c, {%6, %7};\n\tfma.rn.f32x2 d, a, b, c;\n\tmov.b64 {%0, %1}, d;\n\t}"
        : "=f"(d.x), "=f"(d.y)
        : "f"(a.x), "f"(a.y), "f"(b.x), "f"(b.y), "f"(c.x), "f"(c.y));
    return d;
#else
    return {Fma(a.x, b.x, c.x), Fma(a.y, b.y, c.y)};
#endif
  }

  // Memory.
  template <typename V>
  static SAMEBITS_DEVICE V LoadGlobal(const V* global) {
    return *global;
  }
  template <typename V>
  static SAMEBITS_DEVICE void StoreGlobal(V* global, V value) {
    *global = value;
  }
  static SAMEBITS_DEVICE void StoreGlobal(Float4* global, Float4 value) {
    asm volatile("st.global.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(GlobalAddress(global)),
                 "f"(value.x), "f"(value.y), "f"(value.z), "f"(value.w)
                 : "memory");  // nvcc splits a store of the struct
  }
  static SAMEBITS_DEVICE void StoreGlobal(Word4* global, Word4 value) {
    asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(GlobalAddress(global)),
                 "r"(value.x), "r"(value.y), "r"(value.z), "r"(value.w)
                 : "memory");
  }
  static SAMEBITS_DEVICE void PrefetchGlobal(const void* global) {
    asm volatile("prefetch.global.L2 [%0];" ::"l"(GlobalAddress(global)));
  }
  template <typename V>
  static SAMEBITS_DEVICE V LoadShared(const V* shared) {
    return *shared;
  }
  template <typename V>
  static SAMEBITS_DEVICE V LoadSharedOrUndefined(const V* shared) {
    return *shared;
  }
  template <typename V>
  static SAMEBITS_DEVICE void StoreShared(V* shared, V value) {
    *shared = value;
  }

  /// The value itself, as a new value for the optimiser: what depends on it is computed anew
  /// instead of living in registers.
  static SAMEBITS_DEVICE int Opaque(int value) {
    asm volatile("" : "+r"(value));
    return value;
  }
  /// Likewise; it is not computed anew.
  template <typename T>
  static SAMEBITS_DEVICE T* Opaque(T* address) {
    asm volatile("" : "+l"(address));
    return address;
  }

  // Conversions.
  static SAMEBITS_DEVICE uint16_t ToBf16(float value) {
    uint16_t bits;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(value));
    return bits;
  }
  static SAMEBITS_DEVICE uint32_t ToBf16Pair(float low, float high) {
    uint32_t pair;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
    return pair;
  }
  static SAMEBITS_DEVICE float FromBf16(uint16_t bits) {
    return FromBits(static_cast<uint32_t>(bits) << 16);
  }
  static SAMEBITS_DEVICE uint32_t Bits(float value) { return __float_as_uint(value); }
  static SAMEBITS_DEVICE float FromBits(uint32_t bits) { return __uint_as_float(bits); }

 private:
  static SAMEBITS_DEVICE uint32_t SharedAddress(const void* shared) {
    return cuda::SharedAddress(shared);
  }
  static SAMEBITS_DEVICE uint64_t GlobalAddress(const void* global) {
    return cuda::GlobalAddress(global);
  }
};

}  // namespace samebits::gpu

#endif  // SAMEBITS_GPU_LANE_CUDA_CUH_
