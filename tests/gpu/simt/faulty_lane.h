// HostLane with one synchronisation fault of kda_decode: an operation left out, made too early, or
// made with another count, phase or size. The kernel's source stays as it is.
#ifndef SAMEBITS_TESTS_GPU_SIMT_FAULTY_LANE_H_
#define SAMEBITS_TESTS_GPU_SIMT_FAULTY_LANE_H_

#include <array>
#include <cstdint>
#include <string_view>

#include "gpu/kda_decode/shared_layout.h"
#include "gpu/lane/host.h"

namespace samebits::gpu::kda_ws {

// Barriers are those of SPEC.md section 7.2. The prep group comes to its named barrier three times
// per item: staged, prepared, free.
enum class Seeded : uint8_t {
  kNone,
  kNoBlockBarrier,
  kNoInitFence,
  kNoDependencyWait,
  kNoStagedBarrier,
  kNoPreparedBarrier,
  kNoFreeBarrier,
  kNoOutBarrier,      // of the scan group: the outputs are there
  kNoSumsBarrier,     // of the scan group: the sums are there
  kPrepBarrierCount,  // 96 threads instead of 128
  kScanBarrierCount,  // 224 threads instead of 256
  kSharedBarrierId,   // both prep groups use barrier 1
  kNoCopyWait,
  kNoStateFullWait,
  kNoStateEmptyWait,
  kNoOpsFullWait,
  kNoDoneWait,
  kStateFullPhase,
  kStateEmptyPhase,
  kOpsFullPhase,
  kDonePhase,
  kStateEmptyCountLow,  // 255 arrivals instead of 256
  kOpsFullCountLow,
  kOpsFullCountHigh,
  kDoneCountLow,
  kNoStateEmptyArrival,  // of one thread
  kNoOpsFullArrival,
  kNoDoneArrival,
  kEarlyStateEmpty,  // arrives before the page is read
  kEarlyDone,        // arrives before the operand block is read
  kExpectTooMuch,
  kExpectTooLittle,
  kShortLoad,
  kNoProxyFence,
  kProxyFenceOfOneThread,
  kNoBulkCommit,
  kNoBulkReadWait,
  kCount,
};

inline constexpr std::array<std::string_view, static_cast<size_t>(Seeded::kCount)> kSeededNames = {
    "none",
    "no block barrier",
    "no fence after mbarrier init",
    "no wait for the grid before",
    "no barrier: staged",
    "no barrier: prepared",
    "no barrier: free",
    "no barrier: outputs",
    "no barrier: sums",
    "prep barrier of 96 threads",
    "scan barrier of 224 threads",
    "prep groups share a barrier",
    "no wait for cp.async",
    "no wait: state_full",
    "no wait: state_empty",
    "no wait: ops_full",
    "no wait: done",
    "wrong phase: state_full",
    "wrong phase: state_empty",
    "wrong phase: ops_full",
    "wrong phase: done",
    "state_empty counts 255",
    "ops_full counts 127",
    "ops_full counts 129",
    "done counts 255",
    "one arrival missing: state_empty",
    "one arrival missing: ops_full",
    "one arrival missing: done",
    "state_empty before the page is read",
    "done before the block is read",
    "16 bytes expected too many",
    "16 bytes expected too few",
    "bulk load 16 bytes short",
    "no proxy fence",
    "proxy fence of one thread",
    "no bulk commit",
    "no wait for bulk reads",
};

template <int T>
class FaultyLane : public HostLane {
 public:
  explicit FaultyLane(Seeded seeded) : seeded_(seeded) {}

  void BlockBarrier(Where where = Where::current()) const {
    if (!Is(Seeded::kNoBlockBarrier)) HostLane::BlockBarrier(where);
  }
  void NamedBarrier(int id, int threads, Where where = Where::current()) const {
    const int use = barrier_uses_++;
    if (id == 3) {
      if (Is(Seeded::kNoOutBarrier) && use % 2 == 0) return;
      if (Is(Seeded::kNoSumsBarrier) && use % 2 == 1) return;
      if (Is(Seeded::kScanBarrierCount)) threads -= 32;
    } else {
      if (Is(Seeded::kNoStagedBarrier) && use % 3 == 0) return;
      if (Is(Seeded::kNoPreparedBarrier) && use % 3 == 1) return;
      if (Is(Seeded::kNoFreeBarrier) && use % 3 == 2) return;
      if (Is(Seeded::kPrepBarrierCount)) threads -= 32;
      if (Is(Seeded::kSharedBarrierId)) id = 1;
    }
    HostLane::NamedBarrier(id, threads, where);
  }

  void MbarrierInit(uint64_t* barrier, int arrivals, Where where = Where::current()) const {
    switch (seeded_) {
      case Seeded::kStateEmptyCountLow:
        arrivals -= IsStateEmpty(barrier);
        break;
      case Seeded::kOpsFullCountLow:
        arrivals -= IsOpsFull(barrier);
        break;
      case Seeded::kOpsFullCountHigh:
        arrivals += IsOpsFull(barrier);
        break;
      case Seeded::kDoneCountLow:
        arrivals -= IsDone(barrier);
        break;
      default:
        break;
    }
    HostLane::MbarrierInit(barrier, arrivals, where);
  }
  void MbarrierInitFence(Where where = Where::current()) const {
    if (!Is(Seeded::kNoInitFence)) HostLane::MbarrierInitFence(where);
  }
  void MbarrierArrive(uint64_t* barrier, Where where = Where::current()) const {
    const bool one = ThreadIndex() % 128 == 77;
    if (Is(Seeded::kNoStateEmptyArrival) && IsStateEmpty(barrier) && one) return;
    if (Is(Seeded::kNoOpsFullArrival) && IsOpsFull(barrier) && one) return;
    if (Is(Seeded::kNoDoneArrival) && IsDone(barrier) && one) return;
    if (Is(Seeded::kEarlyStateEmpty) && IsStateEmpty(barrier)) return;
    if (Is(Seeded::kEarlyDone) && IsDone(barrier)) return;
    HostLane::MbarrierArrive(barrier, where);
  }
  void MbarrierArriveExpect(uint64_t* barrier, int bytes, Where where = Where::current()) const {
    if (Is(Seeded::kExpectTooMuch)) bytes += 16;
    if (Is(Seeded::kExpectTooLittle) && bytes > 0) bytes -= 16;
    HostLane::MbarrierArriveExpect(barrier, bytes, where);
  }
  void MbarrierWait(uint64_t* barrier, int parity, Where where = Where::current()) const {
    if (Is(Seeded::kNoStateFullWait) && IsStateFull(barrier)) return;
    if (Is(Seeded::kNoStateEmptyWait) && IsStateEmpty(barrier)) return;
    if (Is(Seeded::kNoOpsFullWait) && IsOpsFull(barrier)) return;
    if (Is(Seeded::kNoDoneWait) && IsDone(barrier)) return;
    if (Is(Seeded::kStateFullPhase) && IsStateFull(barrier)) parity ^= 1;
    if (Is(Seeded::kStateEmptyPhase) && IsStateEmpty(barrier)) parity ^= 1;
    if (Is(Seeded::kOpsFullPhase) && IsOpsFull(barrier)) parity ^= 1;
    if (Is(Seeded::kDonePhase) && IsDone(barrier)) parity ^= 1;
    HostLane::MbarrierWait(barrier, parity, where);
    if (Is(Seeded::kEarlyStateEmpty) && IsStateFull(barrier)) {
      HostLane::MbarrierArrive(Word(2), where);
    }
    if (Is(Seeded::kEarlyDone) && IsOpsFull(barrier)) HostLane::MbarrierArrive(barrier + 4, where);
  }

  void CopyAsyncWaitAll(Where where = Where::current()) const {
    if (!Is(Seeded::kNoCopyWait)) HostLane::CopyAsyncWaitAll(where);
  }
  void BulkLoad(void* shared, const void* global, int bytes, uint64_t* barrier,
                Where where = Where::current()) const {
    if (Is(Seeded::kShortLoad)) bytes -= 16;
    HostLane::BulkLoad(shared, global, bytes, barrier, where);
  }
  void BulkCommit(Where where = Where::current()) const {
    if (!Is(Seeded::kNoBulkCommit)) HostLane::BulkCommit(where);
  }
  void BulkWaitRead(Where where = Where::current()) const {
    if (!Is(Seeded::kNoBulkReadWait)) HostLane::BulkWaitRead(where);
  }
  void FenceProxyAsync(Where where = Where::current()) const {
    if (Is(Seeded::kNoProxyFence)) return;
    if (Is(Seeded::kProxyFenceOfOneThread) && ThreadIndex() % 128 != 0) return;
    HostLane::FenceProxyAsync(where);
  }
  void GridDependencyWait() const {
    if (!Is(Seeded::kNoDependencyWait)) HostLane::GridDependencyWait();
  }

 private:
  bool Is(Seeded seeded) const { return seeded_ == seeded; }
  uint64_t* Word(int index) const {
    return reinterpret_cast<uint64_t*>(shared() + MakeSharedLayout(T).barriers) + index;
  }
  bool IsStateFull(const uint64_t* barrier) const { return barrier == Word(0); }
  bool IsStateEmpty(const uint64_t* barrier) const { return barrier == Word(2); }
  bool IsOpsFull(const uint64_t* barrier) const { return barrier >= Word(4) && barrier < Word(8); }
  bool IsDone(const uint64_t* barrier) const { return barrier >= Word(8) && barrier < Word(12); }

  Seeded seeded_;
  mutable int barrier_uses_ = 0;  // by this thread
};

}  // namespace samebits::gpu::kda_ws

#endif  // SAMEBITS_TESTS_GPU_SIMT_FAULTY_LANE_H_
