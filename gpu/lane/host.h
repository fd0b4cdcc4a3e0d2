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
#include "gpu/simt/barriers.h"
#include "gpu/simt/block.h"
#include "gpu/simt/copies.h"
#include "gpu/simt/team.h"
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
  int GridBlocks() const { return self_.team->shape().blocks; }
  std::byte* shared() const { return self_.block->shared.data(); }
  /// Rank of the block in its cluster, and the shared memory of another block of it.
  int ClusterRank() const { return self_.block->rank; }
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

  // Barriers.
  void BlockBarrier(Where where = Where::current()) const {
    simt::BarrierSync(self_, 0, self_.team->shape().threads, where);
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

  // Registers and grids.
  template <int kRegisters>
  void RegistersDecrease(Where where = Where::current()) const {
    simt::SetRegisters(self_, kRegisters, where);
  }
  template <int kRegisters>
  void RegistersIncrease(Where where = Where::current()) const {
    simt::SetRegisters(self_, kRegisters, where);
  }
  void GridDependencyWait() const { self_.block->cluster->grid_dependency.By(self_.clock); }
  void GridLaunchDependents() const {}

  // Matrix unit.
  void MmaBf16(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2],
               Where where = Where::current()) const {
    simt::MmaBf16(self_, d, a, b, where);
  }

  // Special functions.
  float Ex2(float x) const { return Special(units::Instruction::kEx2ApproxF32, x); }
  float Rcp(float x) const { return Special(units::Instruction::kRcpApproxF32, x); }
  float Sqrt(float x) const { return Special(units::Instruction::kSqrtApproxF32, x); }
  float Rsqrt(float x) const { return Special(units::Instruction::kRsqrtApproxF32, x); }
  float DivFull(float a, float b) const { return units::DivFull(tables(), a, b); }

  // Arithmetic.
  float Add(float a, float b) const { return arith::Add(a, b); }
  float Sub(float a, float b) const { return arith::Sub(a, b); }
  float Mul(float a, float b) const { return arith::Mul(a, b); }
  float Fma(float a, float b, float c) const { return arith::Fma(a, b, c); }
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
  float FromBf16(uint16_t bits) const { return arith::Widen(bits); }
  uint32_t Bits(float value) const { return arith::ToBits(value); }
  float FromBits(uint32_t bits) const { return arith::FromBits(bits); }
  int Opaque(int value) const { return value; }

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
