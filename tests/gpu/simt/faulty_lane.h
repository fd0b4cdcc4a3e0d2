// HostLane with one synchronisation fault of kda_decode: an operation left out, made too early, or
// made with another barrier, count, phase or size. The kernel's source stays as it is.
#ifndef SAMEBITS_TESTS_GPU_SIMT_FAULTY_LANE_H_
#define SAMEBITS_TESTS_GPU_SIMT_FAULTY_LANE_H_

#include <cstdint>
#include <string_view>
#include <type_traits>

#include "gpu/kda_decode/block.cuh"
#include "gpu/kda_decode/shared_layout.h"
#include "gpu/lane/host.h"

namespace samebits::gpu::kda_ws {

enum class Fault : uint8_t {
  kNone,
  kLeftOut,        // a wait, barrier, fence, commit ...
  kOfOneThread,    // a fence by the thread alone that starts the copy
  kArriveOnly,     // a named barrier: the warp that starts the copies does not wait at it
  kWrongPhase,     // of a wait
  kNeighbour,      // waits at the mbarrier of the next warp, block or group
  kCountLow,       // of an mbarrier: one less; of a named barrier: one warp or group less
  kCountHigh,      // of an mbarrier: one more
  kSharedId,       // of a named barrier: that of prep group 0
  kNoArrival,      // of one thread
  kEarlyArrival,   // before the operand block is normalised (ops_full), or read (done)
  kBeforeLastOut,  // arrives before the output of the last token is written
  kExpectTooMuch,  // by 16 bytes
  kExpectTooLittle,
  kShortLoad,   // by 16 bytes
  kNoReadWait,  // of bulk stores
  kNoWaitAll,
  kNoCommit,
  kNoFence,  // of the proxies
};

/// Where a fault is. Mbarriers are those of Shared, named barriers those of prep.cuh and
/// epilogue.cuh; staged has copies of two kinds.
enum class At : uint8_t {
  kNowhere,
  kInit,       // block barrier behind the initialisation of the mbarriers
  kInitFence,  // fence of that initialisation
  kScanGrid,   // wait for the grid before, by the scan role
  kPrepGrid,   // by the prep role
  kRegisters,  // that the prep role gives up
  kStateFull,
  kOpsFull,
  kDone,
  kStaged,
  kRows,     // also the warp barriers of the prep role: the first lane saw the windows leave
  kWindows,  // also their way back
  kWeightsFull,
  kPrepared,   // named barrier of a prep group: once per item
  kOutSums,    // the same barrier in the epilogue
  kNextHead,   // named barrier of both prep groups: before weights are replaced
  kRowsRead,   // warp barrier: the warp's rows of the page are in registers
  kValueRead,  // warp barrier: v is read, o may replace it
  kStorePage,  // warp barrier: the warp's part of the store page is free
  kStates,     // warp barrier: it is written; also the bulk stores from it
};

struct Seeded {
  Fault fault;
  At at;
  std::string_view name;
};

inline constexpr Seeded kNoFault = {Fault::kNone, At::kNowhere, "none"};

inline constexpr Seeded kSeeded[] = {
    {Fault::kLeftOut, At::kInit, "no block barrier"},
    {Fault::kLeftOut, At::kInitFence, "no fence after mbarrier init"},
    {Fault::kLeftOut, At::kScanGrid, "scan: no wait for the grid before"},
    {Fault::kLeftOut, At::kPrepGrid, "prep: no wait for the grid before"},
    {Fault::kLeftOut, At::kRegisters, "prep keeps its registers"},

    {Fault::kLeftOut, At::kStateFull, "no wait: state_full"},
    {Fault::kLeftOut, At::kOpsFull, "no wait: ops_full"},
    {Fault::kLeftOut, At::kDone, "no wait: done"},
    {Fault::kLeftOut, At::kStaged, "no wait: staged"},
    {Fault::kLeftOut, At::kWeightsFull, "no wait: weights_full"},
    {Fault::kWrongPhase, At::kStateFull, "wrong phase: state_full"},
    {Fault::kWrongPhase, At::kOpsFull, "wrong phase: ops_full"},
    {Fault::kWrongPhase, At::kDone, "wrong phase: done"},
    {Fault::kWrongPhase, At::kStaged, "wrong phase: staged"},
    {Fault::kWrongPhase, At::kWeightsFull, "wrong phase: weights_full"},
    {Fault::kNeighbour, At::kStateFull, "state_full of another warp"},
    {Fault::kNeighbour, At::kOpsFull, "ops_full of another block"},
    {Fault::kNeighbour, At::kDone, "done of another block"},
    {Fault::kNeighbour, At::kStaged, "staged of the other group"},

    {Fault::kCountHigh, At::kStateFull, "state_full counts 2"},
    {Fault::kCountLow, At::kOpsFull, "ops_full counts 127"},
    {Fault::kCountHigh, At::kOpsFull, "ops_full counts 129"},
    {Fault::kCountLow, At::kDone, "done counts 255"},
    {Fault::kCountHigh, At::kDone, "done counts 257"},
    {Fault::kCountLow, At::kStaged, "staged counts 1"},
    {Fault::kCountHigh, At::kStaged, "staged counts 3"},
    {Fault::kCountHigh, At::kWeightsFull, "weights_full counts 2"},

    {Fault::kNoArrival, At::kStateFull, "no arrival of one warp: state_full"},
    {Fault::kNoArrival, At::kOpsFull, "no arrival of one thread: ops_full"},
    {Fault::kNoArrival, At::kDone, "no arrival of one thread: done"},
    {Fault::kNoArrival, At::kRows, "no arrival for rows: staged"},
    {Fault::kNoArrival, At::kWindows, "no arrival for windows: staged"},
    {Fault::kNoArrival, At::kWeightsFull, "no arrival: weights_full"},
    {Fault::kEarlyArrival, At::kOpsFull, "ops_full before q and k are normalised"},
    {Fault::kEarlyArrival, At::kDone, "done before the block is read"},
    {Fault::kBeforeLastOut, At::kDone, "done before the last output is written"},

    {Fault::kExpectTooMuch, At::kStateFull, "too many bytes: state_full"},
    {Fault::kExpectTooMuch, At::kRows, "too many bytes: rows"},
    {Fault::kExpectTooMuch, At::kWindows, "too many bytes: windows"},
    {Fault::kExpectTooMuch, At::kWeightsFull, "too many bytes: weights_full"},
    {Fault::kExpectTooLittle, At::kStateFull, "too few bytes: state_full"},
    {Fault::kExpectTooLittle, At::kRows, "too few bytes: rows"},
    {Fault::kExpectTooLittle, At::kWindows, "too few bytes: windows"},
    {Fault::kExpectTooLittle, At::kWeightsFull, "too few bytes: weights_full"},
    {Fault::kShortLoad, At::kStateFull, "short load of the state"},
    {Fault::kShortLoad, At::kRows, "short load of rows"},
    {Fault::kShortLoad, At::kWindows, "short load of windows"},
    {Fault::kShortLoad, At::kWeightsFull, "short load of weights"},

    {Fault::kLeftOut, At::kPrepared, "no barrier of a prep group: prepared"},
    {Fault::kLeftOut, At::kOutSums, "no barrier of a prep group: sums of the output"},
    {Fault::kLeftOut, At::kNextHead, "no barrier of both prep groups: next head"},
    {Fault::kCountLow, At::kPrepared, "prep group's barrier of 96 threads: prepared"},
    {Fault::kCountLow, At::kOutSums, "prep group's barrier of 96 threads: sums of the output"},
    {Fault::kCountLow, At::kNextHead, "both prep groups' barrier of 128 threads"},
    {Fault::kSharedId, At::kPrepared, "prep groups share a barrier: prepared"},
    {Fault::kSharedId, At::kOutSums, "prep groups share a barrier: sums of the output"},
    {Fault::kSharedId, At::kNextHead, "next head at the barrier of a prep group"},
    {Fault::kArriveOnly, At::kPrepared, "next rows and windows too early"},
    {Fault::kArriveOnly, At::kNextHead, "weights of the next head too early"},

    {Fault::kLeftOut, At::kRowsRead, "no warp barrier: rows of the state are read"},
    {Fault::kLeftOut, At::kRows, "no warp barriers of the prep role"},
    {Fault::kLeftOut, At::kValueRead, "no warp barrier: v is read"},
    {Fault::kLeftOut, At::kStorePage, "no warp barrier: store page is free"},
    {Fault::kLeftOut, At::kStates, "no warp barrier: states are in the store page"},

    {Fault::kNoFence, At::kWindows, "no proxy fence: windows"},
    {Fault::kNoFence, At::kStates, "no proxy fence: states"},
    {Fault::kOfOneThread, At::kWindows, "proxy fence of one thread: windows"},
    {Fault::kOfOneThread, At::kStates, "proxy fence of one thread: states"},
    {Fault::kNoCommit, At::kWindows, "no bulk commit: windows"},
    {Fault::kNoCommit, At::kStates, "no bulk commit: states"},
    {Fault::kNoReadWait, At::kWindows, "no wait for bulk reads: windows"},
    {Fault::kNoReadWait, At::kStates, "no wait for bulk reads: states"},
    {Fault::kNoWaitAll, At::kStates, "no wait for bulk stores: states"},
};

template <int T>
class FaultyLane : public HostLane {
 public:
  explicit FaultyLane(const Seeded& seeded) : seeded_(seeded) {}

  // The kernel's start.
  void BlockBarrier(Where where = Where::current()) const {
    if (!Is(Fault::kLeftOut, At::kInit)) HostLane::BlockBarrier(where);
  }
  void MbarrierInitFence(Where where = Where::current()) const {
    if (!Is(Fault::kLeftOut, At::kInitFence)) HostLane::MbarrierInitFence(where);
  }
  void GridDependencyWait() const {
    if (!Is(Fault::kLeftOut, scans() ? At::kScanGrid : At::kPrepGrid)) {
      HostLane::GridDependencyWait();
    }
  }
  template <int kRegisters>
  void RegistersDecrease(Where where = Where::current()) const {
    if (!Is(Fault::kLeftOut, At::kRegisters)) HostLane::RegistersDecrease<kRegisters>(where);
  }

  // Named barriers and those of warps. What a warp did last tells its barriers apart.
  void NamedBarrier(int id, int threads, Where where = Where::current()) const {
    const At at = id > kPrepGroups ? At::kNextHead : barrier_;
    if (Is(Fault::kLeftOut, at)) return;
    if (Is(Fault::kCountLow, at)) threads -= at == At::kNextHead ? kPrepThreads : 32;
    if (Is(Fault::kSharedId, at)) id = 1;
    if (Is(Fault::kArriveOnly, at) && StartsCopies(at)) {
      HostLane::NamedBarrierArrive(id, threads, where);
    } else {
      HostLane::NamedBarrier(id, threads, where);
    }
    if (at == At::kPrepared && Is(Fault::kEarlyArrival, At::kOpsFull)) ArriveEarly(ops_full_);
  }
  void WarpBarrier(Where where = Where::current()) const {
    if (Is(Fault::kLeftOut, scans() ? warp_barrier_ : At::kRows)) return;
    HostLane::WarpBarrier(where);
  }
  template <typename V>
  V ShuffleXor(V value, int mask, Where where = Where::current()) const {
    warp_barrier_ = At::kValueRead;
    return HostLane::ShuffleXor(value, mask, where);
  }

  // Mbarriers.
  void MbarrierInit(uint64_t* barrier, int arrivals, Where where = Where::current()) const {
    const At at = Of(barrier);
    arrivals += Is(Fault::kCountHigh, at) - Is(Fault::kCountLow, at);
    HostLane::MbarrierInit(barrier, arrivals, where);
  }
  void MbarrierArrive(uint64_t* barrier, Where where = Where::current()) const {
    if (arrived_early_) {
      arrived_early_ = false;
      return;
    }
    if (Is(Fault::kNoArrival, Of(barrier)) && ThreadIndex() % kPrepThreads == 77) return;
    HostLane::MbarrierArrive(barrier, where);
  }
  void MbarrierArriveExpect(uint64_t* barrier, int bytes, Where where = Where::current()) const {
    At at = Of(barrier);
    if (at == At::kStaged) at = staged_arrivals_++ % 2 == 0 ? At::kRows : At::kWindows;
    if (Is(Fault::kNoArrival, at) && (at != At::kStateFull || ThreadIndex() / 32 == 3)) return;
    if (Is(Fault::kExpectTooMuch, at)) bytes += 16;
    if (Is(Fault::kExpectTooLittle, at) && bytes > 0) bytes -= 16;
    HostLane::MbarrierArriveExpect(barrier, bytes, where);
  }
  void MbarrierWait(uint64_t* barrier, int parity, Where where = Where::current()) const {
    const At at = Of(barrier);
    Follow(at, barrier);
    if (!Is(Fault::kLeftOut, at)) {
      HostLane::MbarrierWait(Is(Fault::kNeighbour, at) ? Neighbour(barrier) : barrier,
                             parity ^ int{Is(Fault::kWrongPhase, at)}, where);
    }
    if (at == At::kOpsFull && Is(Fault::kEarlyArrival, At::kDone)) ArriveEarly(done_);
  }

  // Copies.
  void BulkLoad(void* shared, const void* global, int bytes, uint64_t* barrier,
                Where where = Where::current()) const {
    At at = Of(barrier);
    if (at == At::kStaged) at = shared < block().conv() ? At::kRows : At::kWindows;
    if (Is(Fault::kShortLoad, at)) bytes -= 16;
    HostLane::BulkLoad(shared, global, bytes, barrier, where);
  }
  void BulkCommit(Where where = Where::current()) const {
    if (!Is(Fault::kNoCommit, stored())) HostLane::BulkCommit(where);
  }
  void BulkWaitRead(Where where = Where::current()) const {
    if (!Is(Fault::kNoReadWait, stored())) HostLane::BulkWaitRead(where);
  }
  void BulkWaitAll(Where where = Where::current()) const {
    if (!Is(Fault::kNoWaitAll, stored())) HostLane::BulkWaitAll(where);
  }
  void FenceProxyAsync(Where where = Where::current()) const {
    warp_barrier_ = At::kStates;
    if (Is(Fault::kNoFence, stored())) return;
    const bool starts = ThreadIndex() % (scans() ? 32 : kPrepThreads) == 0;
    if (Is(Fault::kOfOneThread, stored()) && !starts) return;
    HostLane::FenceProxyAsync(where);
  }

  // Memory.
  template <typename V>
  V LoadShared(const V* shared, Where where = Where::current()) const {
    if (std::is_same_v<V, int32_t>) warp_barrier_ = At::kStorePage;  // the slot of a state
    return HostLane::LoadShared(shared, where);
  }
  template <typename V>
  V LoadSharedOrUndefined(const V* shared, Where where = Where::current()) const {
    warp_barrier_ = At::kRowsRead;
    return HostLane::LoadSharedOrUndefined(shared, where);
  }
  template <typename V>
  void StoreShared(V* shared, V value, Where where = Where::current()) const {
    if (Is(Fault::kBeforeLastOut, At::kDone) && IsOut(shared) && ++outs_ % T == 0) {
      ArriveEarly(done_);
    }
    HostLane::StoreShared(shared, value, where);
  }

 private:
  bool Is(Fault fault, At at) const { return seeded_.fault == fault && seeded_.at == at; }
  bool scans() const { return ThreadIndex() < kScanThreads; }
  At stored() const { return scans() ? At::kStates : At::kWindows; }
  Shared<T> block() const { return {shared()}; }

  /// Mbarriers lie in the order of Shared.
  At Of(const uint64_t* barrier) const {
    if (barrier < block().ops_full(0)) return At::kStateFull;
    if (barrier < block().done(0)) return At::kOpsFull;
    if (barrier < block().staged(0)) return At::kDone;
    return barrier < block().weights_full() ? At::kStaged : At::kWeightsFull;
  }
  /// Each kind but weights_full begins at an even word.
  uint64_t* Neighbour(uint64_t* barrier) const {
    uint64_t* first = block().state_full(0);
    return first + ((barrier - first) ^ 1);
  }
  /// The outputs lie where v was; a scan thread stores nothing else there.
  bool IsOut(const void* to) const {
    return scans() && to >= block().out(0, 0) && to < block().out(kBlocks, 0);
  }
  bool StartsCopies(At at) const {
    const int p = ThreadIndex() - kScanThreads;
    return at == At::kNextHead ? p < 32 : p % kPrepThreads < 32;
  }

  /// What a wait tells of the operations after it.
  void Follow(At at, uint64_t* barrier) const {
    if (at == At::kStaged) {
      const int group = (ThreadIndex() - kScanThreads) / kPrepThreads;
      ops_full_ = block().ops_full(OperandBlock(group + kPrepGroups * items_++));
      barrier_ = At::kPrepared;
    }
    if (at == At::kDone) barrier_ = At::kOutSums;
    if (at == At::kOpsFull) done_ = block().done(static_cast<int>(barrier - block().ops_full(0)));
  }
  void ArriveEarly(uint64_t* barrier) const {
    HostLane::MbarrierArrive(barrier);
    arrived_early_ = true;
  }

  Seeded seeded_;
  // Of this thread.
  mutable At barrier_ = At::kPrepared;      // which the prep group's named barrier is next
  mutable At warp_barrier_ = At::kNowhere;  // which the scan's warp barrier is next
  mutable uint64_t* ops_full_ = nullptr;    // of the item that is prepared
  mutable uint64_t* done_ = nullptr;        // of the item that is scanned
  mutable bool arrived_early_ = false;      // instead of the next arrival
  mutable int items_ = 0;                   // prepared
  mutable int staged_arrivals_ = 0;
  mutable int outs_ = 0;  // written
};

}  // namespace samebits::gpu::kda_ws

#endif  // SAMEBITS_TESTS_GPU_SIMT_FAULTY_LANE_H_
