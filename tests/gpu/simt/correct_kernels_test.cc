// Correct kernels: the executor computes what a GPU would, under every schedule, without a fault.
#include <array>
#include <boost/test/unit_test.hpp>
#include <numeric>
#include <vector>

#include "model/units/matrix_unit.h"
#include "tests/gpu/simt/run_kernel.h"

namespace samebits::gpu::simt {
namespace {

template <typename T>
T* SharedAs(const HostLane& lane, int64_t offset) {
  return reinterpret_cast<T*>(lane.shared() + offset);
}

BOOST_AUTO_TEST_SUITE(correct_kernels)

BOOST_AUTO_TEST_CASE(block_sums_of_a_grid) {
  constexpr int kThreads = 256, kBlocks = 7;
  std::vector<float> in(kThreads * kBlocks), out(kBlocks);
  std::iota(in.begin(), in.end(), 1.0f);
  GlobalMemory memory;
  memory.Add("in", in.data(), static_cast<int64_t>(in.size() * 4));
  memory.Add("out", out.data(), static_cast<int64_t>(out.size() * 4));
  const auto kernel = [&](const HostLane& lane) {
    const int thread = lane.ThreadIndex();
    float value = lane.LoadGlobal(in.data() + lane.BlockIndex() * kThreads + thread);
    for (int d = 16; d >= 1; d /= 2) value = lane.Add(value, lane.ShuffleXor(value, d));
    float* sums = SharedAs<float>(lane, 0);
    if (thread % 32 == 0) lane.StoreShared(sums + thread / 32, value);
    lane.BlockBarrier();
    float total = 0;
    for (int w = 0; w < kThreads / 32; ++w) total = lane.Add(total, lane.LoadShared(sums + w));
    if (thread == 0) lane.StoreGlobal(out.data() + lane.BlockIndex(), total);
  };
  for (uint64_t schedule = 0; schedule < kSchedules; ++schedule) {
    std::fill(out.begin(), out.end(), -1.0f);
    RunKernel({.blocks = kBlocks, .threads = kThreads, .shared_bytes = 32}, schedule, memory,
              kernel);
    for (int b = 0; b < kBlocks; ++b) {
      const float first = static_cast<float>(b * kThreads + 1);
      BOOST_TEST(out[static_cast<size_t>(b)] == kThreads * (first + (kThreads - 1) / 2.0f));
    }
  }
}

BOOST_AUTO_TEST_CASE(lanes_of_a_wave_of_64) {
  std::vector<int> out(64);
  GlobalMemory memory;
  memory.Add("out", out.data(), 256);
  for (uint64_t schedule = 0; schedule < kSchedules; ++schedule) {
    RunKernel({.threads = 64, .warp_size = 64}, schedule, memory, [&](const HostLane& lane) {
      const int own = lane.ThreadIndex();
      lane.StoreGlobal(out.data() + own, lane.ShuffleXor(own, 63));
    });
    for (int i = 0; i < 64; ++i) BOOST_TEST(out[static_cast<size_t>(i)] == 63 - i);
  }
}

// One warp loads rows with bulk copies, another one sums them and hands them back; two buffers.
BOOST_AUTO_TEST_CASE(producer_and_consumer_with_mbarriers) {
  constexpr int kRows = 9, kRow = 32;
  std::vector<float> in(kRows * kRow), out(kRows * kRow);
  std::iota(in.begin(), in.end(), 0.0f);
  GlobalMemory memory;
  memory.Add("in", in.data(), kRows * kRow * 4);
  memory.Add("out", out.data(), kRows * kRow * 4);
  const auto kernel = [&](const HostLane& lane) {
    auto* full = SharedAs<uint64_t>(lane, 0);
    auto* empty = SharedAs<uint64_t>(lane, 16);
    auto* rows = SharedAs<float>(lane, 32);
    const int thread = lane.ThreadIndex();
    if (thread == 0) {
      for (int i = 0; i < 2; ++i) {
        lane.MbarrierInit(full + i, 1);
        lane.MbarrierInit(empty + i, 32);
      }
      lane.MbarrierInitFence();
    }
    lane.BlockBarrier();
    for (int j = 0; j < kRows; ++j) {
      const int buffer = j % 2, parity = j / 2 % 2;
      if (thread == 32) {
        if (j >= 2) lane.MbarrierWait(empty + buffer, parity ^ 1);
        lane.MbarrierArriveExpect(full + buffer, kRow * 4);
        lane.BulkLoad(rows + buffer * kRow, in.data() + j * kRow, kRow * 4, full + buffer);
      }
      if (thread >= 32) continue;
      lane.MbarrierWait(full + buffer, parity);
      const float value = lane.LoadShared(rows + buffer * kRow + (31 - thread));
      lane.MbarrierArrive(empty + buffer);
      lane.StoreGlobal(out.data() + j * kRow + thread, value);
    }
  };
  for (uint64_t schedule = 0; schedule < kSchedules; ++schedule) {
    std::fill(out.begin(), out.end(), -1.0f);
    RunKernel({.threads = 64, .shared_bytes = 32 + 2 * kRow * 4}, schedule, memory, kernel);
    for (int i = 0; i < kRows * kRow; ++i) {
      BOOST_TEST_REQUIRE(out[static_cast<size_t>(i)] ==
                         in[static_cast<size_t>(i / 32 * 32 + 31 - i % 32)]);
    }
  }
}

// cp.async in, change in place, bulk store out, and the buffer is used again.
BOOST_AUTO_TEST_CASE(staging_in_and_out) {
  constexpr int kRounds = 5, kFloats = 256;
  std::vector<float> data(kRounds * kFloats);
  GlobalMemory memory;
  memory.Add("data", data.data(), kRounds * kFloats * 4);
  const auto kernel = [&](const HostLane& lane) {
    const int thread = lane.ThreadIndex();
    auto* row = SharedAs<float>(lane, 0);
    for (int round = 0; round < kRounds; ++round) {
      float* global = data.data() + round * kFloats;
      lane.CopyAsync16(row + 4 * thread, global + 4 * thread);
      lane.CopyAsyncCommit();
      lane.CopyAsyncWaitAll();
      lane.NamedBarrier(1, 64);
      float* own = row + (kFloats - 1 - thread);
      lane.StoreShared(own, lane.Add(lane.LoadShared(own), 1.0f));
      lane.FenceProxyAsync();
      lane.NamedBarrier(1, 64);
      if (thread == 5) {
        lane.BulkStore(global, row, kFloats * 4);
        lane.BulkCommit();
        lane.BulkWaitRead();
      }
      lane.NamedBarrier(1, 64);
    }
    if (thread == 5) lane.BulkWaitAll();
  };
  for (uint64_t schedule = 0; schedule < kSchedules; ++schedule) {
    std::iota(data.begin(), data.end(), 0.0f);
    RunKernel({.threads = 64, .shared_bytes = kFloats * 4}, schedule, memory, kernel);
    for (int i = 0; i < kRounds * kFloats; ++i) {
      const float expected = static_cast<float>(i + (i % kFloats >= kFloats - 64));
      BOOST_TEST_REQUIRE(data[static_cast<size_t>(i)] == expected);
    }
  }
}

// bar.arrive: producers do not wait for the consumers.
BOOST_AUTO_TEST_CASE(named_barrier_with_arrivals) {
  int out = 0;
  GlobalMemory memory;
  memory.Add("out", &out, 4);
  for (uint64_t schedule = 0; schedule < kSchedules; ++schedule) {
    RunKernel({.threads = 128, .shared_bytes = 512}, schedule, memory, [&](const HostLane& lane) {
      const int thread = lane.ThreadIndex();
      auto* words = SharedAs<int>(lane, 0);
      if (thread >= 32) {
        lane.StoreShared(words + thread, thread);
        lane.NamedBarrierArrive(2, 128);
        return;
      }
      lane.NamedBarrier(2, 128);
      if (thread != 0) return;
      int sum = 0;
      for (int i = 32; i < 128; ++i) sum += lane.LoadShared(words + i);
      lane.StoreGlobal(&out, sum);
    });
    BOOST_TEST(out == (32 + 127) * 96 / 2);
  }
}

BOOST_AUTO_TEST_CASE(clusters_read_each_other) {
  constexpr int kBlocks = 8, kCluster = 4;
  std::vector<int> out(kBlocks);
  GlobalMemory memory;
  memory.Add("out", out.data(), kBlocks * 4);
  for (uint64_t schedule = 0; schedule < kSchedules; ++schedule) {
    RunKernel({.blocks = kBlocks, .threads = 32, .cluster = kCluster, .shared_bytes = 4}, schedule,
              memory, [&](const HostLane& lane) {
                if (lane.ThreadIndex() == 0) {
                  lane.StoreShared(SharedAs<int>(lane, 0), 10 * lane.BlockIndex());
                }
                lane.ClusterBarrier();
                const int neighbour = (lane.ClusterRank() + 1) % kCluster;
                if (lane.ThreadIndex() == 3) {
                  const auto* theirs = reinterpret_cast<int*>(lane.SharedOfRank(neighbour));
                  lane.StoreGlobal(out.data() + lane.BlockIndex(), lane.LoadShared(theirs));
                }
                lane.ClusterBarrier();  // no block ends while another reads it
              });
    for (int b = 0; b < kBlocks; ++b) {
      BOOST_TEST(out[static_cast<size_t>(b)] ==
                 10 * (b / kCluster * kCluster + (b + 1) % kCluster));
    }
  }
}

BOOST_AUTO_TEST_CASE(grid_barrier_of_a_co_resident_launch) {
  constexpr int kBlocks = 6, kThreads = 64;
  std::vector<int> cells(kBlocks), out(kBlocks);
  GlobalMemory memory;
  memory.Add("cells", cells.data(), kBlocks * 4);
  memory.Add("out", out.data(), kBlocks * 4);
  for (uint64_t schedule = 0; schedule < kSchedules; ++schedule) {
    std::fill(cells.begin(), cells.end(), -1);
    RunKernel({.blocks = kBlocks, .threads = kThreads, .co_resident = true}, schedule, memory,
              [&](const HostLane& lane) {
                const int block = lane.BlockIndex();
                if (lane.ThreadIndex() == 0) lane.StoreGlobal(cells.data() + block, block);
                lane.GridBarrier();
                if (lane.ThreadIndex() != 40) return;
                lane.StoreGlobal(out.data() + block,
                                 lane.LoadGlobal(cells.data() + (block + 1) % kBlocks));
              });
    for (int b = 0; b < kBlocks; ++b) BOOST_TEST(out[static_cast<size_t>(b)] == (b + 1) % kBlocks);
  }
}

BOOST_AUTO_TEST_CASE(matrix_product_is_the_units) {
  std::vector<uint16_t> a(16 * 16), b(8 * 16);
  std::vector<float> d(16 * 8);
  Random random(7);
  for (uint16_t& x : a) x = static_cast<uint16_t>(0x3E00 + random.Below(0x300));
  for (uint16_t& x : b) x = static_cast<uint16_t>(0xBE00 + random.Below(0x300));
  GlobalMemory memory;
  memory.Add("a", a.data(), 512);
  memory.Add("b", b.data(), 256);
  memory.Add("d", d.data(), 512);
  RunKernel({}, 3, memory, [&](const HostLane& lane) {
    const int g = lane.ThreadIndex() / 4, q = 2 * (lane.ThreadIndex() % 4);
    const auto pair = [&](const std::vector<uint16_t>& m, int row, int k) {
      return lane.LoadGlobal(reinterpret_cast<const uint32_t*>(m.data() + row * 16 + k));
    };
    const uint32_t fa[4] = {pair(a, g, q), pair(a, g + 8, q), pair(a, g, q + 8),
                            pair(a, g + 8, q + 8)};
    const uint32_t fb[2] = {pair(b, g, q), pair(b, g, q + 8)};
    float fd[4] = {1.0f, 1.0f, 1.0f, 1.0f};
    lane.MmaBf16(fd, fa, fb);
    for (int i = 0; i < 4; ++i) {
      lane.StoreGlobal(d.data() + (g + 8 * (i / 2)) * 8 + q + i % 2, fd[i]);
    }
  });
  for (int row = 0; row < 16; ++row) {
    for (int column = 0; column < 8; ++column) {
      const float expected = units::Dot(units::MatrixUnit{}, &a[static_cast<size_t>(row * 16)],
                                        &b[static_cast<size_t>(column * 16)], 16, 1.0f);
      BOOST_TEST(arith::ToBits(d[static_cast<size_t>(row * 8 + column)]) ==
                 arith::ToBits(expected));
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace samebits::gpu::simt
