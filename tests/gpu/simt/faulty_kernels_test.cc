// Every kind of fault is reported, with the thread and the source line that met it.
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <vector>

#include "tests/gpu/simt/run_kernel.h"

namespace samebits::gpu::simt {
namespace {

const LaunchShape kBlock = {.threads = 64, .shared_bytes = 1024};

template <typename T>
T* SharedAs(const HostLane& lane, int64_t offset) {
  return reinterpret_cast<T*>(lane.shared() + offset);
}

struct Fixture {
  alignas(16) float in[64] = {};
  float gap[16] = {};  // so that an address behind `in` is in no allocation
  alignas(16) float out[64] = {};
  GlobalMemory memory;

  Fixture() {
    memory.Add("in", in, sizeof in);
    memory.Add("out", out, sizeof out);
  }
};

/// A barrier in shared memory at 0 that one thread initialises.
void InitBarrier(const HostLane& lane, int arrivals) {
  if (lane.ThreadIndex() == 0) {
    lane.MbarrierInit(SharedAs<uint64_t>(lane, 0), arrivals);
    lane.MbarrierInitFence();
  }
  lane.BlockBarrier();
}

BOOST_FIXTURE_TEST_SUITE(faulty_kernels, Fixture)

BOOST_AUTO_TEST_CASE(deadlock_names_who_waits_where) {
  const auto kernel = [](const HostLane& lane) {
    if (lane.ThreadIndex() < 32) lane.NamedBarrier(1, 64);
  };
  ExpectFault(kBlock, memory, kernel, FaultKind::kDeadlock, "32 threads (0..31) wait at");
  ExpectFault(kBlock, memory, kernel, FaultKind::kDeadlock,
              "barrier 1, 32 of 64 threads have come");
}

BOOST_AUTO_TEST_CASE(deadlock_at_an_mbarrier) {
  ExpectFault(
      kBlock, memory,
      [](const HostLane& lane) {
        InitBarrier(lane, 65);
        lane.MbarrierArrive(SharedAs<uint64_t>(lane, 0));
        lane.MbarrierWait(SharedAs<uint64_t>(lane, 0), 0);
      },
      FaultKind::kDeadlock, "parity 0 of the mbarrier at 0x0, which is in phase 0 with 1 of 65");
}

BOOST_AUTO_TEST_CASE(deadlock_of_divergent_shuffle) {
  ExpectFault(
      kBlock, memory,
      [](const HostLane& lane) {
        if (lane.ThreadIndex() != 7) lane.ShuffleXor(1.0f, 1);
      },
      FaultKind::kDeadlock, "of which 0xffffff7f have come");
}

BOOST_AUTO_TEST_CASE(lanes_meet_with_different_operations) {
  ExpectFault(
      kBlock, memory,
      [](const HostLane& lane) {
        if (lane.ThreadIndex() % 2 == 0) {
          lane.ShuffleXor(1.0f, 1);
        } else {
          lane.WarpBarrier();
        }
      },
      FaultKind::kBarrier, "while others of its warp are at");
}

BOOST_AUTO_TEST_CASE(global_out_of_bounds) {
  ExpectFault(
      kBlock, memory,
      [&](const HostLane& lane) {
        lane.LoadGlobal(in + lane.ThreadIndex() + (lane.ThreadIndex() == 63));
      },
      FaultKind::kOutOfBounds, "faulty_kernels_test.cc:");
  ExpectFault(
      kBlock, memory, [&](const HostLane& lane) { lane.StoreGlobal<float>(nullptr, 1.0f); },
      FaultKind::kOutOfBounds, "a null pointer");
}

BOOST_AUTO_TEST_CASE(shared_out_of_bounds) {
  ExpectFault(
      kBlock, memory,
      [](const HostLane& lane) {
        lane.StoreShared(SharedAs<float>(lane, 1024 - 63 * 4) + lane.ThreadIndex(), 1.0f);
      },
      FaultKind::kOutOfBounds, "thread 63 (warp 1 lane 31) accesses 4 bytes at 0x400 of 1024");
}

BOOST_AUTO_TEST_CASE(misaligned) {
  ExpectFault(
      kBlock, memory,
      [](const HostLane& lane) { lane.StoreShared(SharedAs<Float4>(lane, 8), Float4{}); },
      FaultKind::kMisaligned, "no multiple of 16");
  ExpectFault(
      kBlock, memory,
      [&](const HostLane& lane) { lane.LoadGlobal(reinterpret_cast<const Float2*>(in + 1)); },
      FaultKind::kMisaligned, "no multiple of 8");
  ExpectFault(
      kBlock, memory, [&](const HostLane& lane) { lane.CopyAsync16(lane.shared(), in + 2); },
      FaultKind::kMisaligned, "no multiple of 16");
}

BOOST_AUTO_TEST_CASE(unwritten_shared_memory) {
  ExpectFault(
      kBlock, memory,
      [](const HostLane& lane) {
        if (lane.ThreadIndex() < 63)
          lane.StoreShared(SharedAs<float>(lane, 0) + lane.ThreadIndex(), 1.0f);
        lane.BlockBarrier();
        lane.LoadShared(SharedAs<float>(lane, 0) + 63 - lane.ThreadIndex());
      },
      FaultKind::kUninitialised, "thread 0 (warp 0 lane 0) reads 4 bytes of shared memory at 0xfc");
}

BOOST_AUTO_TEST_CASE(race_without_barrier) {
  ExpectFault(
      kBlock, memory,
      [](const HostLane& lane) {
        auto* words = SharedAs<int>(lane, 0);
        lane.StoreShared(words + lane.ThreadIndex(), 1);
        lane.WarpBarrier();  // orders a warp only
        lane.LoadShared(words + (lane.ThreadIndex() ^ 1));
        lane.StoreShared(words + 64 + lane.ThreadIndex(), 1);
        if (lane.ThreadIndex() >= 32) lane.StoreShared(words + 64 + lane.ThreadIndex() - 32, 2);
      },
      FaultKind::kRace, "not ordered after the write by block 0 thread");
}

BOOST_AUTO_TEST_CASE(barrier_with_two_counts) {
  ExpectFault(
      {.threads = 128}, memory,
      [](const HostLane& lane) {
        if (lane.ThreadIndex() < 64) {
          lane.NamedBarrier(3, lane.ThreadIndex() < 32 ? 96 : 128);
        }
      },
      FaultKind::kBarrier, "gave it");
  ExpectFault(
      kBlock, memory, [](const HostLane& lane) { lane.NamedBarrier(3, 48); }, FaultKind::kBarrier,
      "not whole warps");
  ExpectFault(
      kBlock, memory, [](const HostLane& lane) { lane.NamedBarrier(16, 64); }, FaultKind::kBarrier,
      "names barrier 16");
}

BOOST_AUTO_TEST_CASE(arrivals_left_at_the_end) {
  ExpectFault(
      kBlock, memory,
      [](const HostLane& lane) {
        if (lane.ThreadIndex() < 32) lane.NamedBarrierArrive(4, 64);
      },
      FaultKind::kBarrier, "barrier 4 has 32 of 64 arrivals");
}

BOOST_AUTO_TEST_CASE(mbarrier_misuse) {
  ExpectFault(
      kBlock, memory,
      [](const HostLane& lane) { lane.MbarrierArrive(SharedAs<uint64_t>(lane, 0)); },
      FaultKind::kUninitialised, "not initialised");
  ExpectFault(
      kBlock, memory,
      [](const HostLane& lane) {
        InitBarrier(lane, 1);
        lane.LoadShared(SharedAs<uint64_t>(lane, 0));
      },
      FaultKind::kBarrier, "where an mbarrier is");
  ExpectFault(
      kBlock, memory,
      [](const HostLane& lane) {
        InitBarrier(lane, 1);
        if (lane.ThreadIndex() != 0) return;
        lane.MbarrierArriveExpect(SharedAs<uint64_t>(lane, 0), 16);
        lane.MbarrierArrive(SharedAs<uint64_t>(lane, 0));
      },
      FaultKind::kBarrier, "has its 1 arrivals already");
}

/// Thread 0 loads `in` into shared memory at 16; everyone reads.
void LoadAndRead(const HostLane& lane, const float* in, bool fence_init, int bytes, bool wait) {
  auto* barrier = SharedAs<uint64_t>(lane, 0);
  if (lane.ThreadIndex() == 0) {
    lane.MbarrierInit(barrier, 1);
    if (fence_init) lane.MbarrierInitFence();
  }
  lane.BlockBarrier();
  if (lane.ThreadIndex() == 0) {
    lane.MbarrierArriveExpect(barrier, 256);
    lane.BulkLoad(SharedAs<float>(lane, 16), in, bytes, barrier);
  }
  if (wait) lane.MbarrierWait(barrier, 0);
  lane.LoadShared(SharedAs<float>(lane, 16) + lane.ThreadIndex());
}

BOOST_AUTO_TEST_CASE(bulk_load) {
  const auto run = [&](bool fence_init, int bytes, bool wait) {
    return [=, this](const HostLane& lane) { LoadAndRead(lane, in, fence_init, bytes, wait); };
  };
  ExpectFault(kBlock, memory, run(false, 256, true), FaultKind::kProxy, "no fence");
  ExpectFault(kBlock, memory, run(true, 240, true), FaultKind::kDeadlock, "16 bytes to come");
  for (uint64_t schedule = 0; schedule < kSchedules; ++schedule) {
    BOOST_TEST(!FaultOf(kBlock, schedule, memory, run(true, 256, true)));
    // Unwritten where the copy has not started, else a race with it.
    BOOST_TEST(FaultOf(kBlock, schedule, memory, run(true, 256, false)).has_value());
  }
}

enum class Store { kCorrect, kNoFence, kFenceOfOneThread, kNoReadWait, kNoCommit, kReuse };

void StoreRow(const HostLane& lane, float* out, Store fault) {
  auto* row = SharedAs<float>(lane, 0);
  const int thread = lane.ThreadIndex();
  lane.StoreShared(row + thread, 1.0f);
  if (fault == Store::kFenceOfOneThread ? thread == 0 : fault != Store::kNoFence) {
    lane.FenceProxyAsync();
  }
  lane.BlockBarrier();
  if (thread == 0) {
    lane.BulkStore(out, row, 256);
    if (fault != Store::kNoCommit) lane.BulkCommit();
    if (fault != Store::kNoReadWait && fault != Store::kReuse) lane.BulkWaitRead();
  }
  if (fault == Store::kReuse) {
    lane.BlockBarrier();
    lane.StoreShared(row + thread, 2.0f);
  }
}

BOOST_AUTO_TEST_CASE(bulk_store) {
  const auto run = [&](Store fault) {
    return [=, this](const HostLane& lane) { StoreRow(lane, out, fault); };
  };
  ExpectFault(kBlock, memory, run(Store::kNoFence), FaultKind::kProxy, "no proxy fence");
  ExpectFault(kBlock, memory, run(Store::kFenceOfOneThread), FaultKind::kProxy, "no proxy fence");
  ExpectFault(kBlock, memory, run(Store::kNoReadWait), FaultKind::kUnfinished, "bulk store");
  ExpectFault(kBlock, memory, run(Store::kNoCommit), FaultKind::kUnfinished, "bulk store");
  for (uint64_t schedule = 0; schedule < kSchedules; ++schedule) {
    BOOST_TEST(!FaultOf(kBlock, schedule, memory, run(Store::kCorrect)));
    // Seen by whoever comes first: the writer, or the thread that ends.
    BOOST_TEST(FaultOf(kBlock, schedule, memory, run(Store::kReuse)).has_value());
  }
}

// A fence by the thread that issues the copy, behind the barrier, is as good as fences of the
// writers.
BOOST_AUTO_TEST_CASE(fence_behind_the_barrier) {
  for (uint64_t schedule = 0; schedule < kSchedules; ++schedule) {
    RunKernel(kBlock, schedule, memory, [&](const HostLane& lane) {
      lane.StoreShared(SharedAs<float>(lane, 0) + lane.ThreadIndex(), 1.0f);
      lane.BlockBarrier();
      if (lane.ThreadIndex() != 40) return;
      lane.FenceProxyAsync();
      lane.BulkStore(out, lane.shared(), 256);
      lane.BulkCommit();
      lane.BulkWaitAll();
      BOOST_TEST(lane.LoadGlobal(out + 63) == 1.0f);
    });
  }
}

BOOST_AUTO_TEST_CASE(global_read_before_the_bulk_store_is_complete) {
  int detected = 0;
  for (uint64_t schedule = 0; schedule < kSchedules; ++schedule) {
    detected += FaultOf(kBlock, schedule, memory, [&](const HostLane& lane) {
                  StoreRow(lane, out, Store::kCorrect);
                  if (lane.ThreadIndex() == 0) lane.LoadGlobal(out);
                }).has_value();
  }
  BOOST_TEST(detected >= kSchedules / 2);
}

BOOST_AUTO_TEST_CASE(asynchronous_copies) {
  const auto run = [&](bool commit, bool wait, bool read) {
    return [=, this](const HostLane& lane) {
      if (lane.ThreadIndex() != 1) return;
      lane.CopyAsync16(lane.shared(), in);
      if (commit) lane.CopyAsyncCommit();
      if (wait) lane.CopyAsyncWaitAll();
      if (read) lane.LoadShared(SharedAs<float>(lane, 0));
    };
  };
  ExpectFault(kBlock, memory, run(true, false, true), FaultKind::kRace, "asynchronous copy of");
  ExpectFault(kBlock, memory, run(false, true, true), FaultKind::kRace, "asynchronous copy of");
  ExpectFault(kBlock, memory, run(true, false, false), FaultKind::kUnfinished, "never waited");
  BOOST_TEST(!FaultOf(kBlock, 1, memory, run(true, true, true)));
}

BOOST_AUTO_TEST_CASE(dependent_launch) {
  LaunchShape shape = kBlock;
  shape.dependent = true;
  ExpectFault(
      shape, memory, [&](const HostLane& lane) { lane.LoadGlobal(in); }, FaultKind::kRace,
      "before the wait for the grid");
  RunKernel(shape, 1, memory, [&](const HostLane& lane) {
    if (lane.ThreadIndex() == 0) lane.GridDependencyWait();
    lane.BlockBarrier();  // orders the others after the wait
    lane.LoadGlobal(in);
  });
}

BOOST_AUTO_TEST_CASE(grid_barrier_needs_co_residence) {
  ExpectFault(
      kBlock, memory, [](const HostLane& lane) { lane.GridBarrier(); }, FaultKind::kBarrier,
      "co-resident");
}

BOOST_AUTO_TEST_CASE(grid_barrier_that_a_block_never_reaches) {
  LaunchShape shape = kBlock;
  shape.blocks = 2;
  shape.co_resident = true;
  ExpectFault(
      shape, memory,
      [](const HostLane& lane) {
        if (lane.BlockIndex() == 1 && lane.ThreadIndex() == 0) lane.WarpBarrier();
        lane.GridBarrier();
      },
      FaultKind::kDeadlock, "for the cluster or grid barrier");
}

BOOST_AUTO_TEST_CASE(other_exceptions_pass) {
  BOOST_CHECK_THROW(
      RunKernel(kBlock, 5, memory, [](const HostLane&) { throw std::out_of_range("x"); }),
      std::out_of_range);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace samebits::gpu::simt
