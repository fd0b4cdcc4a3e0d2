// The lane interface under the executor on the CPU. Operations: README.md of this folder. Every
// operation knows the source line that calls it, so that a fault can name it.
#ifndef SAMEBITS_GPU_LANE_HOST_H_
#define SAMEBITS_GPU_LANE_HOST_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "gpu/lane/annotate.h"
#include "gpu/lane/types.h"
#include "gpu/simt/access.h"
#include "gpu/simt/arithmetic.h"
#include "gpu/simt/atomics.h"
#include "gpu/simt/barriers.h"
#include "gpu/simt/block.h"
#include "gpu/simt/cluster.h"
#include "gpu/simt/copies.h"
#include "gpu/simt/dependency.h"
#include "gpu/simt/products.h"
#include "gpu/simt/registers.h"
#include "gpu/simt/tcgen05.h"
#include "gpu/simt/team.h"
#include "gpu/simt/tensor_map.h"
#include "gpu/simt/warp.h"
#include "model/arith/bfloat16.h"
#include "model/arith/float32.h"
#include "model/units/special_functions.h"

namespace samebits::gpu {

/// Made inside a kernel body, one per GPU thread.
class HostLane {
 public:
  using Where = simt::Where;

  HostLane() : self_(simt::Self()) {}

  // Ids and shared memory.
  int ThreadIndex() const { return self_.index; }
  int BlockIndex() const { return self_.block->index; }
  int GridBlocks() const { return self_.block->grid->shape.blocks; }
  std::byte* shared() const { return self_.block->shared.data(); }

  // Clusters.
  struct Remote {
    std::byte* address;
    Remote operator+(int bytes) const { return {address + bytes}; }
  };
  int ClusterRank() const { return self_.block->rank; }
  int ClusterIndex() const { return self_.block->cluster->index; }
  int ClusterBlocks() const { return self_.block->grid->shape.cluster; }
  Remote MapShared(const void* shared, int rank, Where where = Where::current()) const {
    return {simt::MapShared(self_, shared, rank, where)};
  }
  void ClusterArrive(Where where = Where::current()) const {
    simt::ClusterArrive(self_, true, where);
  }
  void ClusterArriveRelaxed(Where where = Where::current()) const {
    simt::ClusterArrive(self_, false, where);
  }
  void ClusterWait(Where where = Where::current()) const { simt::ClusterWait(self_, where); }
  void MbarrierArriveRemote(Remote barrier, Where where = Where::current()) const {
    simt::MbarrierArrive(self_, barrier.address, 0, where);
  }
  void MbarrierWaitCluster(uint64_t* barrier, int parity, Where where = Where::current()) const {
    simt::MbarrierWait(self_, barrier, parity, where, true);
  }
  template <typename V>
  void StoreAsync(Remote to, V value, Remote barrier, Where where = Where::current()) const {
    static_assert(sizeof(V) == 4 || sizeof(V) == 8 || sizeof(V) == 16);
    simt::StoreAsync(self_, to.address, &value, sizeof(V), barrier.address, where);
  }
  void BulkCopyRemote(Remote to, const void* shared, int bytes, Remote barrier,
                      Where where = Where::current()) const {
    simt::BulkCopyRemote(self_, to.address, shared, bytes, barrier.address, where);
  }
  /// The shared memory of another block of the cluster, for ordinary loads.
  std::byte* SharedOfRank(int rank) const {
    return self_.block->cluster->blocks.at(static_cast<size_t>(rank))->shared.data();
  }

  // Warps.
  template <typename V>
  V ShuffleXor(V value, int mask, Where where = Where::current()) const {
    return simt::Shuffle(self_, simt::FullMask(self_), value, self_.lane ^ mask, where);
  }
  template <typename V>
  V ShuffleIndex(V value, int lane, Where where = Where::current()) const {
    return simt::Shuffle(self_, simt::FullMask(self_), value, lane, where);
  }
  void WarpBarrier(Where where = Where::current()) const {
    simt::SyncWarp(self_, simt::FullMask(self_), where);
  }

  bool ElectOne(Where where = Where::current()) const {
    simt::Meet(self_, simt::FullMask(self_), simt::Collective::kElect, nullptr, nullptr, where);
    return self_.lane == 0;
  }

  // Barriers.
  void BlockBarrier(Where where = Where::current()) const {
    simt::BarrierSync(self_, 0, self_.block->grid->shape.threads, where);
  }
  void NamedBarrier(int id, int threads, Where where = Where::current()) const {
    simt::BarrierSync(self_, id, threads, where);
  }
  void NamedBarrierArrive(int id, int threads, Where where = Where::current()) const {
    simt::BarrierArrive(self_, id, threads, where);
  }
  void ClusterBarrier(Where where = Where::current()) const { simt::SyncCluster(self_, where); }
  void GridBarrier(Where where = Where::current()) const { simt::SyncGrid(self_, where); }
  void MbarrierInit(uint64_t* barrier, int arrivals, Where where = Where::current()) const {
    simt::MbarrierInit(self_, barrier, arrivals, where);
  }
  void MbarrierInitFence(Where where = Where::current()) const {
    simt::MbarrierInitFence(self_, where);
  }
  void MbarrierArrive(uint64_t* barrier, Where where = Where::current()) const {
    simt::MbarrierArrive(self_, barrier, 0, where);
  }
  void MbarrierArriveExpect(uint64_t* barrier, int bytes, Where where = Where::current()) const {
    simt::MbarrierArrive(self_, barrier, bytes, where);
  }
  void MbarrierWait(uint64_t* barrier, int parity, Where where = Where::current()) const {
    simt::MbarrierWait(self_, barrier, parity, where);
  }

  // Asynchronous copies.
  void CopyAsync16(void* shared, const void* global, Where where = Where::current()) const {
    simt::CopyAsync16(self_, shared, global, where);
  }
  void CopyAsyncCommit(Where where = Where::current()) const {
    simt::CopyAsyncCommit(self_, where);
  }
  void CopyAsyncWaitAll(Where where = Where::current()) const {
    simt::CopyAsyncWait(self_, 0, where);
  }
  void CopyAsyncArrive(uint64_t* barrier, Where where = Where::current()) const {
    simt::CopyAsyncArrive(self_, barrier, where);
  }
  void BulkLoad(void* shared, const void* global, int bytes, uint64_t* barrier,
                Where where = Where::current()) const {
    simt::BulkLoad(self_, shared, global, bytes, barrier, where);
  }
  void BulkStore(void* global, const void* shared, int bytes,
                 Where where = Where::current()) const {
    simt::BulkStore(self_, global, shared, bytes, where);
  }
  void BulkCommit(Where where = Where::current()) const { simt::BulkCommit(self_, where); }
  void BulkWaitRead(Where where = Where::current()) const {
    simt::BulkWait(self_, 0, false, where);
  }
  void BulkWaitAll(Where where = Where::current()) const { simt::BulkWait(self_, 0, true, where); }
  void FenceProxyAsync(Where where = Where::current()) const {
    simt::FenceProxyAsync(self_, where);
  }

  // Tensor copies.
  void TensorMapAcquire(const TensorMap* map, Where where = Where::current()) const {
    simt::TensorMapAcquire(self_, map, where);
  }
  void TensorMapPrefetch(const TensorMap*) const {}
  void TensorLoadOnce(void* shared, const TensorMap* map, int column, int row, uint64_t* barrier,
                      Where where = Where::current()) const {
    TensorLoad(shared, map, column, row, barrier, where);
  }
  void TensorLoad(void* shared, const TensorMap* map, int column, int row, uint64_t* barrier,
                  Where where = Where::current()) const {
    simt::TensorLoad(self_, shared, map, column, row, barrier, simt::OwnRank(self_), where);
  }
  void TensorLoadMulticast(void* shared, const TensorMap* map, int column, int row,
                           uint64_t* barrier, uint16_t ranks,
                           Where where = Where::current()) const {
    simt::TensorLoad(self_, shared, map, column, row, barrier, ranks, where);
  }
  void TensorPrefetch(const TensorMap* map, int, int, Where where = Where::current()) const {
    simt::CheckTensorMap(self_, map, where);
  }

  // Global memory that other blocks look at. Order and scope have no effect on what the executor
  // computes: it makes every access at once.
  template <Order kOrder, Scope kScope = Scope::kGpu>
  uint32_t AtomicLoad(const uint32_t* global, Where where = Where::current()) const {
    static_assert(kOrder == Order::kRelaxed || kOrder == Order::kAcquire);
    return simt::AtomicLoad(self_, global, where);
  }
  template <Order kOrder, Scope kScope = Scope::kGpu>
  void AtomicStore(uint32_t* global, uint32_t value, Where where = Where::current()) const {
    static_assert(kOrder == Order::kRelaxed || kOrder == Order::kRelease);
    simt::AtomicStore(self_, global, value, where);
  }
  template <Order kOrder>
  uint32_t AtomicAdd(uint32_t* global, uint32_t value, Where where = Where::current()) const {
    return simt::AtomicAdd(self_, global, value, where);
  }
  template <typename V>
  V LoadRelaxed(const V* global, Where where = Where::current()) const {
    V value;
    simt::LoadRelaxed(self_, global, &value, sizeof(V), where);
    return value;
  }
  template <typename V>
  void StoreRelaxed(V* global, std::type_identity_t<V> value,
                    Where where = Where::current()) const {
    simt::StoreRelaxed(self_, global, &value, sizeof(V), where);
  }
  void Trap() const {}  // the executor knows a deadlock when it sees one
  template <Scope kScope = Scope::kGpu>
  void FenceAcquireRelease() const {}
  void FenceProxyAsyncGlobal(Where where = Where::current()) const {
    simt::FenceProxyAsyncGlobal(self_, where);
  }
  template <typename V>
  void StoreSystem(V* global, V value, Where where = Where::current()) const {
    static_assert(sizeof(V) == 4 || sizeof(V) == 8 || sizeof(V) == 16);
    simt::CheckAtomicStore(self_, global, sizeof(V), where);
    std::memcpy(static_cast<void*>(global), &value, sizeof(V));
  }
  template <typename V>
  void StoreMulticast(const Multicast& to, int64_t offset, V value,
                      Where where = Where::current()) const {
    static_assert(sizeof(V) == 8 || sizeof(V) == 16);
    simt::StoreMulticast(self_, to, offset, &value, sizeof(V), where);
  }
  void Sleep(uint32_t, Where where = Where::current()) const { simt::Sleep(self_, where); }
  /// Of a clock that never runs: a loop that waits in vain is a deadlock here.
  uint64_t Nanoseconds() const { return 0; }

  // Registers and grids.
  template <int kRegisters>
  void RegistersDecrease(Where where = Where::current()) const {
    simt::DecreaseRegisters(self_, kRegisters, where);
  }
  template <int kRegisters>
  void RegistersIncrease(Where where = Where::current()) const {
    simt::IncreaseRegisters(self_, kRegisters, where);
  }
  void GridDependencyWait(Where where = Where::current()) const {
    simt::GridDependencyWait(self_, where);
  }
  void GridLaunchDependents(Where where = Where::current()) const {
    simt::GridLaunchDependents(self_, where);
  }

  // Matrix unit.
  void MmaBf16(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2],
               Where where = Where::current()) const {
    simt::MmaBf16(self_, d, a, b, where);
  }

  // Asynchronous matrix units.
  uint64_t WgmmaDescriptor(const void* shared) const {
    return simt::MakeDescriptor(self_, simt::Descriptor::kWgmma, shared);
  }
  void WgmmaFence(Where where = Where::current()) const { simt::WgmmaFence(self_, where); }
  template <int kCount>
  void WgmmaKeep(float (&)[kCount]) const {}
  void WgmmaCommit(Where where = Where::current()) const { simt::WgmmaCommit(self_, where); }
  template <int kPending>
  void WgmmaWait(Where where = Where::current()) const {
    simt::WgmmaWait(self_, kPending, where);
  }
  template <int kN>
  void Wgmma(float (&d)[kN / 2], uint64_t a, uint64_t b, bool accumulate,
             Where where = Where::current()) const {
    static_assert(kN % 8 == 0 && kN >= 8 && kN <= 256);
    simt::Wgmma(self_, d, kN, a, b, accumulate, where);
  }
  template <int kN>
  void Wgmma(float (&d)[kN / 2], const uint32_t (&a)[4], uint64_t b, bool accumulate,
             Where where = Where::current()) const {
    static_assert(kN % 8 == 0 && kN >= 8 && kN <= 256);
    simt::Wgmma(self_, d, kN, a, b, accumulate, where);
  }
  void TmemAllocate(uint32_t* shared, int columns, Where where = Where::current()) const {
    simt::TmemAllocate(self_, shared, columns, where);
  }
  void TmemRelinquish(Where where = Where::current()) const { simt::TmemRelinquish(self_, where); }
  void TmemFree(uint32_t tmem, int columns, Where where = Where::current()) const {
    simt::TmemFree(self_, tmem, columns, where);
  }
  uint64_t Tcgen05Descriptor(const void* shared) const {
    return simt::MakeDescriptor(self_, simt::Descriptor::kTcgen05, shared);
  }
  void Tcgen05Mma(uint32_t d, uint64_t a, uint64_t b, uint32_t instruction, bool accumulate,
                  Where where = Where::current()) const {
    simt::Tcgen05Mma(self_, d, a, b, instruction, accumulate, where);
  }
  void Tcgen05Commit(uint64_t* barrier, Where where = Where::current()) const {
    simt::Tcgen05Commit(self_, barrier, where);
  }
  void Tcgen05FenceBefore(Where where = Where::current()) const {
    simt::Tcgen05FenceBefore(self_, where);
  }
  void Tcgen05FenceAfter(Where where = Where::current()) const {
    simt::Tcgen05FenceAfter(self_, where);
  }
  template <int kColumns>
  void TmemLoad(float (&r)[kColumns], uint32_t tmem, Where where = Where::current()) const {
    static_assert((kColumns & (kColumns - 1)) == 0 && kColumns >= 1 && kColumns <= 128);
    simt::TmemLoad(self_, r, kColumns, tmem, where);
  }
  void TmemLoadWait(Where where = Where::current()) const { simt::TmemLoadWait(self_, where); }

  // Special functions.
  float Ex2(float x) const { return Special(units::Instruction::kEx2ApproxF32, x); }
  float Rcp(float x) const { return Special(units::Instruction::kRcpApproxF32, x); }
  float Sqrt(float x) const { return Special(units::Instruction::kSqrtApproxF32, x); }
  float Rsqrt(float x) const { return Special(units::Instruction::kRsqrtApproxF32, x); }
  float Ex2Ftz(float x) const { return Special(units::Instruction::kEx2ApproxFtzF32, x); }
  float RcpFtz(float x) const { return Special(units::Instruction::kRcpApproxFtzF32, x); }
  float Tanh(float x) const { return Special(units::Instruction::kTanhApproxF32, x); }
  float DivFull(float a, float b) const { return units::DivFull(tables(), a, b); }

  // Arithmetic.
  float Add(float a, float b) const { return arith::Add(a, b); }
  float Sub(float a, float b) const { return arith::Sub(a, b); }
  float Mul(float a, float b) const { return arith::Mul(a, b); }
  float Fma(float a, float b, float c) const { return arith::Fma(a, b, c); }
  float Div(float a, float b) const { return arith::Div(a, b); }
  float FmaDown(float a, float b, float c) const { return simt::FmaDown(a, b, c); }
  float FmaSaturate(float a, float b, float c) const { return simt::Saturate(Fma(a, b, c)); }
  float Min(float a, float b) const { return simt::Min(a, b); }
  float Max(float a, float b) const { return simt::Max(a, b); }
  Float2 Add2(Float2 a, Float2 b) const { return {Add(a.x, b.x), Add(a.y, b.y)}; }
  Float2 Mul2(Float2 a, Float2 b) const { return {Mul(a.x, b.x), Mul(a.y, b.y)}; }
  Float2 Fma2(Float2 a, Float2 b, Float2 c) const {
    return {Fma(a.x, b.x, c.x), Fma(a.y, b.y, c.y)};
  }

  // Memory. Copied as bytes, because a faulty kernel's address may be misaligned.
  template <typename V>
  V LoadGlobal(const V* global, Where where = Where::current()) const {
    simt::CheckGlobalLoad(self_, global, sizeof(V), where);
    return Copied(global);
  }
  template <typename V>
  void StoreGlobal(V* global, V value, Where where = Where::current()) const {
    simt::CheckGlobalStore(self_, global, sizeof(V), where);
    std::memcpy(static_cast<void*>(global), &value, sizeof(V));
  }
  void PrefetchGlobal(const void*) const {}
  template <typename V>
  V LoadShared(const V* shared, Where where = Where::current()) const {
    simt::CheckSharedLoad(self_, shared, sizeof(V), where);
    return Copied(shared);
  }
  template <typename V>
  V LoadSharedOrUndefined(const V* shared, Where where = Where::current()) const {
    simt::CheckSharedLoad(self_, shared, sizeof(V), where, true);
    return Copied(shared);
  }
  template <typename V>
  void StoreShared(V* shared, V value, Where where = Where::current()) const {
    simt::CheckSharedStore(self_, shared, sizeof(V), where);
    std::memcpy(static_cast<void*>(shared), &value, sizeof(V));
  }

  // Conversions.
  uint16_t ToBf16(float value) const { return arith::RoundToBf16(value); }
  uint32_t ToBf16Pair(float low, float high) const {
    return static_cast<uint32_t>(ToBf16(high)) << 16 | ToBf16(low);
  }
  float FromBf16(uint16_t bits) const { return arith::Widen(bits); }
  uint32_t Bits(float value) const { return arith::ToBits(value); }
  float FromBits(uint32_t bits) const { return arith::FromBits(bits); }
  int Opaque(int value) const { return value; }
  template <typename T>
  T* Opaque(T* address) const {
    return address;
  }

 protected:
  simt::Thread& self() const { return self_; }

 private:
  template <typename V>
  static V Copied(const V* from) {
    V value;
    std::memcpy(&value, static_cast<const void*>(from), sizeof(V));
    return value;
  }
  const units::SpecialFunctionTables& tables() const { return *self_.team->units().special; }
  float Special(units::Instruction instruction, float x) const {
    return units::Evaluate(tables(), instruction, x);
  }

  simt::Thread& self_;
};

}  // namespace samebits::gpu

#endif  // SAMEBITS_GPU_LANE_HOST_H_
