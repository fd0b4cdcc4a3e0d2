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
  kSharedId,       // of a named barrier: that of the other prep group
  kNoArrival,      // of one thread
  kEarlyArrival,   // before the operand block is normalised (ops_full), or read (done, released)
  kBeforeLastOut,  // arrives before the output of the last token is written
  kExpectTooMuch,  // by 16 bytes
  kExpectTooLittle,
  kShortLoad,   // by 16 bytes, of one thread
  kNoReadWait,  // of bulk stores
  kNoWaitAll,
  kNoCommit,
  kNoFence,  // of the proxies
};

/// Where a fault is. Mbarriers are those of Shared, named barriers those of the prep groups and of
/// epilogue.cuh.
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
  kReleased,
  kStaged,
  kRows,     // copies of rows and of single taps, and their arrivals
  kWindows,  // of whole windows, and their way back
  kWeightsFull,
  kFirstRows,
  kSlots,      // named barrier of a prep group: the first slots are in shared memory
  kSums,       // the same barrier, group 0: sums of the squares of q and k
  kPrepared,   // the same barrier: once per item, behind everything
  kOutSums,    // in the epilogue
  kRawGates,   // warp barrier of the prep role: the products of the gate are in shared memory
  kRowsRead,   // warp barrier: the warp's rows of the page are in registers
  kValueRead,  // warp barrier: both lanes of a row have its v, which o replaces
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
    {Fault::kLeftOut, At::kReleased, "no wait: released"},
    {Fault::kLeftOut, At::kStaged, "no wait: staged"},
    {Fault::kLeftOut, At::kWeightsFull, "no wait: weights_full"},
    {Fault::kWrongPhase, At::kStateFull, "wrong phase: state_full"},
    {Fault::kWrongPhase, At::kOpsFull, "wrong phase: ops_full"},
    {Fault::kWrongPhase, At::kDone, "wrong phase: done"},
    {Fault::kWrongPhase, At::kReleased, "wrong phase: released"},
    {Fault::kWrongPhase, At::kStaged, "wrong phase: staged"},
    {Fault::kWrongPhase, At::kWeightsFull, "wrong phase: weights_full"},
    {Fault::kNeighbour, At::kStateFull, "state_full of another warp"},
    {Fault::kNeighbour, At::kOpsFull, "ops_full of another block"},
    {Fault::kNeighbour, At::kDone, "done of another block"},
    {Fault::kNeighbour, At::kReleased, "released of another block"},
    {Fault::kNeighbour, At::kStaged, "staged of the other stage"},
    {Fault::kNeighbour, At::kWeightsFull, "weights_full of the other group"},

    {Fault::kCountHigh, At::kStateFull, "state_full counts 2"},
    {Fault::kCountLow, At::kOpsFull, "ops_full counts 255"},
    {Fault::kCountHigh, At::kOpsFull, "ops_full counts 257"},
    {Fault::kCountLow, At::kDone, "done counts 255"},
    {Fault::kCountHigh, At::kDone, "done counts 257"},
    {Fault::kCountLow, At::kReleased, "released counts 127"},
    {Fault::kCountHigh, At::kReleased, "released counts 129"},
    {Fault::kCountLow, At::kStaged, "staged counts one less"},
    {Fault::kCountHigh, At::kStaged, "staged counts one more"},
    {Fault::kCountLow, At::kWeightsFull, "weights_full counts 127"},
    {Fault::kCountHigh, At::kWeightsFull, "weights_full counts 129"},
    {Fault::kCountHigh, At::kFirstRows, "first_rows counts 3"},

    {Fault::kNoArrival, At::kStateFull, "no arrival of one warp: state_full"},
    {Fault::kNoArrival, At::kOpsFull, "no arrival of one thread: ops_full"},
    {Fault::kNoArrival, At::kDone, "no arrival of one thread: done"},
    {Fault::kNoArrival, At::kReleased, "no arrival of one thread: released"},
    {Fault::kNoArrival, At::kRows, "no arrival of one thread's copies: staged"},
    {Fault::kNoArrival, At::kWindows, "no arrival for windows: staged"},
    {Fault::kNoArrival, At::kWeightsFull, "no arrival of one thread's copies: weights_full"},
    {Fault::kEarlyArrival, At::kOpsFull, "ops_full before q and k are normalised"},
    {Fault::kEarlyArrival, At::kDone, "done before the block is read"},
    {Fault::kEarlyArrival, At::kReleased, "released before the output is read"},
    {Fault::kBeforeLastOut, At::kDone, "done before the last output is written"},

    {Fault::kExpectTooMuch, At::kStateFull, "too many bytes: state_full"},
    {Fault::kExpectTooMuch, At::kWindows, "too many bytes: windows"},
    {Fault::kExpectTooLittle, At::kStateFull, "too few bytes: state_full"},
    {Fault::kExpectTooLittle, At::kWindows, "too few bytes: windows"},
    {Fault::kShortLoad, At::kStateFull, "short load of the state"},
    {Fault::kShortLoad, At::kRows, "short load of rows"},
    {Fault::kShortLoad, At::kWindows, "short load of windows"},
    {Fault::kShortLoad, At::kWeightsFull, "short load of weights and taps"},

    {Fault::kLeftOut, At::kSlots, "no barrier of a prep group: slots"},
    {Fault::kLeftOut, At::kSums, "no barrier of a prep group: sums of q and k"},
    {Fault::kLeftOut, At::kPrepared, "no barrier of a prep group: prepared"},
    {Fault::kLeftOut, At::kOutSums, "no barrier of a prep group: sums of the output"},
    {Fault::kCountLow, At::kSlots, "prep group's barrier of 96 threads: slots"},
    {Fault::kCountLow, At::kSums, "prep group's barrier of 96 threads: sums of q and k"},
    {Fault::kCountLow, At::kPrepared, "prep group's barrier of 96 threads: prepared"},
    {Fault::kCountLow, At::kOutSums, "prep group's barrier of 96 threads: sums of the output"},
    {Fault::kSharedId, At::kSlots, "prep groups share a barrier: slots"},
    {Fault::kSharedId, At::kPrepared, "prep groups share a barrier: prepared"},
    {Fault::kSharedId, At::kSums, "prep groups share a barrier: sums of q and k"},
    {Fault::kSharedId, At::kOutSums, "prep groups share a barrier: sums of the output"},
    {Fault::kArriveOnly, At::kPrepared, "next rows, windows and weights too early"},

    {Fault::kLeftOut, At::kRawGates, "no warp barrier: products of the gate are written"},
    {Fault::kLeftOut, At::kRowsRead, "no warp barrier: rows of the state are read"},
    {Fault::kLeftOut, At::kValueRead, "no warp barrier: v of a row is read"},
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

  // Named barriers and those of warps. What a thread did last tells its barriers apart.
  void NamedBarrier(int id, int threads, Where where = Where::current()) const {
    const At at = barrier_;
    if (Is(Fault::kLeftOut, at)) return;
    if (Is(Fault::kCountLow, at)) threads -= 32;
    if (Is(Fault::kSharedId, at) && group() == kConvolveGroup) ++id;
    if (Is(Fault::kArriveOnly, at) && ThreadIndex() % kPrepThreads < 32) {
      HostLane::NamedBarrierArrive(id, threads, where);
    } else {
      HostLane::NamedBarrier(id, threads, where);
    }
    if (at == At::kSums && Is(Fault::kEarlyArrival, At::kOpsFull)) ArriveEarly(ops_full_);
  }
  void WarpBarrier(Where where = Where::current()) const {
    if (Is(Fault::kLeftOut, scans() ? warp_barrier_ : At::kRawGates)) return;
    HostLane::WarpBarrier(where);
  }

  // Mbarriers.
  void MbarrierInit(uint64_t* barrier, int arrivals, Where where = Where::current()) const {
    const At at = Of(barrier);
    arrivals += Is(Fault::kCountHigh, at) - Is(Fault::kCountLow, at);
    HostLane::MbarrierInit(barrier, arrivals, where);
  }
  void MbarrierArrive(uint64_t* barrier, Where where = Where::current()) const {
    if (Of(barrier) == At::kOpsFull) barrier_ = At::kPrepared;
    if (arrived_early_) {
      arrived_early_ = false;
      return;
    }
    if (Is(Fault::kNoArrival, Of(barrier)) && ThreadIndex() % kPrepThreads == 77) return;
    HostLane::MbarrierArrive(barrier, where);
  }
  void MbarrierArriveExpect(uint64_t* barrier, int bytes, Where where = Where::current()) const {
    const At at = Of(barrier) == At::kStaged ? At::kWindows : Of(barrier);
    if (Is(Fault::kNoArrival, at) && (at != At::kStateFull || ThreadIndex() / 32 == 3)) return;
    if (Is(Fault::kExpectTooMuch, at)) bytes += 16;
    if (Is(Fault::kExpectTooLittle, at) && bytes > 0) bytes -= 16;
    HostLane::MbarrierArriveExpect(barrier, bytes, where);
  }
  void MbarrierWait(uint64_t* barrier, int parity, Where where = Where::current()) const {
    const At at = Of(barrier);
    Follow(at, barrier);
    if (!Is(Fault::kLeftOut, at)) {
      HostLane::MbarrierWait(Is(Fault::kNeighbour, at) ? Neighbour(at, barrier) : barrier,
                             parity ^ int{Is(Fault::kWrongPhase, at)}, where);
    }
    if (at == At::kOpsFull && Is(Fault::kEarlyArrival, At::kDone)) ArriveEarly(done_);
    if (at == At::kDone && Is(Fault::kEarlyArrival, At::kReleased)) ArriveEarly(released_);
  }

  // Copies.
  void CopyAsync16(void* shared, const void* global, Where where = Where::current()) const {
    const At at = shared < block().conv() ? At::kRows : At::kWeightsFull;
    if (Is(Fault::kShortLoad, at) && ThreadIndex() % kPrepThreads == 3) return;
    HostLane::CopyAsync16(shared, global, where);
  }
  void CopyAsyncArrive(uint64_t* barrier, Where where = Where::current()) const {
    const At at = Of(barrier) == At::kStaged ? At::kRows : At::kWeightsFull;
    if (Is(Fault::kNoArrival, at) && ThreadIndex() % kPrepThreads == 77) return;
    HostLane::CopyAsyncArrive(barrier, where);
  }
  void BulkLoad(void* shared, const void* global, int bytes, uint64_t* barrier,
                Where where = Where::current()) const {
    const At at = Of(barrier) == At::kStaged ? At::kWindows : Of(barrier);
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
    if (std::is_same_v<V, float>) warp_barrier_ = At::kValueRead;
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
  int group() const { return (ThreadIndex() - kScanThreads) / kPrepThreads; }
  Shared<T> block() const { return {shared()}; }

  /// Mbarriers lie in the order of Shared.
  At Of(const uint64_t* barrier) const {
    if (barrier < block().ops_full(0)) return At::kStateFull;
    if (barrier < block().done(0)) return At::kOpsFull;
    if (barrier < block().released(0)) return At::kDone;
    if (barrier < block().staged(0, 0)) return At::kReleased;
    if (barrier < block().weights_full(0)) return At::kStaged;
    return barrier < block().first_rows() ? At::kWeightsFull : At::kFirstRows;
  }
  /// The barrier of what is next, but for those that are waited for block after block: to swap two
  /// of these changes nothing.
  uint64_t* Neighbour(At at, uint64_t* barrier) const {
    uint64_t* first = block().state_full(0);  // each kind begins at an even word, these at a fourth
    return first + ((barrier - first) ^ (at == At::kOpsFull || at == At::kDone ? 2 : 1));
  }
  /// The outputs lie where v was; a scan thread stores nothing else there.
  bool IsOut(const void* to) const {
    return scans() && to >= block().out(0, 0) && to < block().out(kBlocks, 0);
  }
  /// What a wait tells of the operations after it.
  void Follow(At at, uint64_t* barrier) const {
    if (at == At::kStaged) {
      ops_full_ = block().ops_full(OperandBlock(items_++));
      barrier_ = At::kSums;
    }
    if (at == At::kDone) {
      released_ = block().released(static_cast<int>(barrier - block().done(0)));
      barrier_ = At::kOutSums;
    }
    if (at == At::kOpsFull) done_ = block().done(static_cast<int>(barrier - block().ops_full(0)));
  }
  void ArriveEarly(uint64_t* barrier) const {
    HostLane::MbarrierArrive(barrier);
    arrived_early_ = true;
  }

  Seeded seeded_;
  // Of this thread.
  mutable At barrier_ = At::kSlots;         // which the prep group's named barrier is next
  mutable At warp_barrier_ = At::kNowhere;  // which the scan's warp barrier is next
  mutable uint64_t* ops_full_ = nullptr;    // of the item that is prepared
  mutable uint64_t* done_ = nullptr;        // of the item that is scanned
  mutable uint64_t* released_ = nullptr;    // of the item whose epilogue runs
  mutable bool arrived_early_ = false;      // instead of the next arrival
  mutable int items_ = 0;                   // prepared
  mutable int outs_ = 0;                    // written
};

}  // namespace samebits::gpu::kda_ws

#endif  // SAMEBITS_TESTS_GPU_SIMT_FAULTY_LANE_H_
