// Kernels that meet in global memory, and copies through tensor maps.
#include <bit>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "gpu/simt/arithmetic.h"
#include "gpu/simt/tensor_map.h"
#include "model/contract.h"
#include "tests/gpu/simt/run_kernel.h"

namespace samebits::gpu::simt {
namespace {

uint64_t* BarrierAt(const HostLane& lane, int64_t offset) {
  return reinterpret_cast<uint64_t*>(lane.shared() + offset);
}

// ---- A barrier of the grid by two counters, and a tensor copy of what the grid wrote.

struct GridKernel {
  static constexpr int kBlocks = 4, kThreads = 64, kColumns = 64, kRows = 8;
  enum class Missing { kNothing, kProxyFence, kArrival, kWait };

  Missing missing = Missing::kNothing;
  std::vector<uint16_t> matrix = std::vector<uint16_t>(kBlocks * kRows * kColumns, 0);
  std::vector<uint32_t> counters = {0, 0};
  std::vector<uint32_t> sums = std::vector<uint32_t>(kBlocks, 0);
  TensorMap map = EncodeTensorMap(
      {matrix.data(), kColumns, kBlocks* kRows, 2 * kColumns, kColumns, kRows, Swizzle::kNone});

  GlobalMemory Memory() const {
    GlobalMemory memory;
    memory.Add("matrix", matrix.data(), 2 * static_cast<int64_t>(matrix.size()));
    memory.Add("counters", counters.data(), 8);
    memory.Add("sums", sums.data(), 4 * kBlocks);
    return memory;
  }

  void Run(const HostLane& lane) {
    const int block = lane.BlockIndex(), thread = lane.ThreadIndex();
    constexpr int kElements = kRows * kColumns;
    for (int i = thread; i < kElements; i += kThreads) {
      lane.StoreGlobal(matrix.data() + block * kElements + i, static_cast<uint16_t>(block + 1));
    }
    if (thread == 0) {
      lane.MbarrierInit(BarrierAt(lane, 1024), 1);
      lane.MbarrierInitFence();
    }
    lane.BlockBarrier();
    if (thread == 0) {
      lane.FenceAcquireRelease();
      if (missing != Missing::kArrival || block != 1) {
        lane.AtomicAdd<Order::kRelease>(counters.data(), 1);
      }
      while (missing != Missing::kWait &&
             lane.AtomicLoad<Order::kAcquire>(counters.data()) != kBlocks) {
        lane.Sleep(100);
      }
      if (missing != Missing::kWait &&
          lane.AtomicAdd<Order::kAcquireRelease>(counters.data() + 1, 1) == kBlocks - 1) {
        lane.AtomicStore<Order::kRelaxed>(counters.data(), 0);
        lane.AtomicStore<Order::kRelaxed, Scope::kSystem>(counters.data() + 1, 0);
      }
      if (missing != Missing::kProxyFence) lane.FenceProxyAsyncGlobal();
      lane.MbarrierArriveExpect(BarrierAt(lane, 1024), 2 * kElements);
      lane.TensorLoad(lane.shared(), &map, 0, (block + 1) % kBlocks * kRows, BarrierAt(lane, 1024));
    }
    lane.MbarrierWait(BarrierAt(lane, 1024), 0);
    if (thread != 0) return;
    uint32_t sum = 0;
    for (int i = 0; i < kElements; ++i) {
      sum += lane.LoadShared(reinterpret_cast<const uint16_t*>(lane.shared()) + i);
    }
    lane.StoreGlobal(sums.data() + block, sum);
  }

  std::string Outcome(uint64_t schedule) {
    std::fill(matrix.begin(), matrix.end(), uint16_t{0});
    counters = {0, 0};
    try {
      RunKernel({.blocks = kBlocks, .threads = kThreads, .co_resident = true, .shared_bytes = 1032},
                schedule, Memory(), [&](const HostLane& lane) { Run(lane); });
    } catch (const Fault& fault) {
      return fault.what();
    }
    for (int b = 0; b < kBlocks; ++b) {
      const auto theirs = static_cast<uint32_t>((b + 1) % kBlocks + 1);
      if (sums[static_cast<size_t>(b)] != theirs * kRows * kColumns) return "wrong sum";
    }
    return counters == std::vector<uint32_t>{0, 0} ? "" : "counters not re-armed";
  }
};

BOOST_AUTO_TEST_SUITE(global_kernels)

BOOST_AUTO_TEST_CASE(barrier_of_the_grid_by_counters) {
  for (uint64_t schedule = 0; schedule < kSchedules; ++schedule) {
    GridKernel kernel;
    BOOST_TEST(kernel.Outcome(schedule) == "");
  }
}

BOOST_AUTO_TEST_CASE(its_faults_are_detected) {
  using Missing = GridKernel::Missing;
  for (const Missing missing : {Missing::kProxyFence, Missing::kArrival, Missing::kWait}) {
    std::string found;
    for (uint64_t schedule = 0; schedule < kSchedules && found.empty(); ++schedule) {
      GridKernel kernel;
      kernel.missing = missing;
      found = kernel.Outcome(schedule);
    }
    BOOST_TEST(!found.empty(), "fault " << static_cast<int>(missing) << " not detected");
    BOOST_TEST_MESSAGE(found);
  }
}

// ---- Boxes: swizzle, elements outside the matrix, several blocks.

constexpr int kBoxBytes = 64 * 16 * 2;

BOOST_AUTO_TEST_CASE(boxes_of_a_tensor_map) {
  constexpr int kColumns = 72, kRows = 21, kPitch = 80;
  std::vector<uint16_t> matrix(kPitch * kRows);
  for (size_t i = 0; i < matrix.size(); ++i) matrix[i] = static_cast<uint16_t>(i + 1);
  const TensorMap map =
      EncodeTensorMap({matrix.data(), kColumns, kRows, 2 * kPitch, 64, 16, Swizzle::k128Bytes});
  GlobalMemory memory;
  memory.Add("matrix", matrix.data(), 2 * static_cast<int64_t>(matrix.size()));
  const auto expect = [&](int column, int row) {
    return column >= 0 && column < kColumns && row >= 0 && row < kRows
               ? matrix[static_cast<size_t>(row * kPitch + column)]
               : uint16_t{0};
  };
  int wrong = 0;
  for (uint64_t schedule = 0; schedule < kSchedules; ++schedule) {
    RunKernel({.blocks = 3, .threads = 32, .cluster = 3, .shared_bytes = 8192}, schedule, memory,
              [&](const HostLane& lane) {
                const bool first = lane.ThreadIndex() == 0;
                uint64_t* barrier = BarrierAt(lane, 4096);
                if (first) {
                  lane.MbarrierInit(barrier, 1);
                  lane.MbarrierInitFence();
                  lane.MbarrierArriveExpect(barrier,
                                            lane.ClusterRank() == 1 ? kBoxBytes : 2 * kBoxBytes);
                }
                lane.BlockBarrier();
                lane.ClusterArriveRelaxed();
                lane.ClusterWait();
                const int row = 10 * lane.ClusterRank() - 3;
                if (lane.ElectOne()) lane.TensorLoad(lane.shared(), &map, 16, row, barrier);
                if (lane.ClusterRank() == 2 && lane.ElectOne()) {
                  lane.TensorLoadMulticast(lane.shared() + 2048, &map, -8, 0, barrier, 0b101);
                }
                lane.MbarrierWait(barrier, 0);
                for (int i = lane.ThreadIndex(); i < 64 * 16; i += 32) {
                  const int r = i / 64, c = i % 64;
                  const int at = r * 64 + ((c / 8) ^ (r % 8)) * 8 + c % 8;
                  const auto* box = reinterpret_cast<const uint16_t*>(lane.shared());
                  wrong += lane.LoadShared(box + at) != expect(16 + c, row + r);
                  if (lane.ClusterRank() == 1) continue;
                  wrong += lane.LoadShared(box + 1024 + at) != expect(c - 8, r);
                }
                lane.ClusterArrive();
                lane.ClusterWait();
              });
    BOOST_TEST(wrong == 0);
  }
}

BOOST_AUTO_TEST_CASE(a_tensor_map_names_what_is_wrong) {
  alignas(16) static uint16_t matrix[64];
  BOOST_CHECK_THROW(EncodeTensorMap({matrix + 1, 8, 8, 16, 8, 8}), ConfigError);
  BOOST_CHECK_THROW(EncodeTensorMap({matrix, 8, 8, 8, 8, 8}), ConfigError);
  BOOST_CHECK_THROW(EncodeTensorMap({matrix, 8, 8, 16, 4, 8}), ConfigError);
  BOOST_CHECK_THROW(EncodeTensorMap({matrix, 8, 8, 16, 8, 257}), ConfigError);
  BOOST_CHECK_THROW(EncodeTensorMap({matrix, 128, 1, 256, 128, 1, Swizzle::k128Bytes}),
                    ConfigError);
}

BOOST_AUTO_TEST_CASE(multicast_stores_reach_every_memory) {
  alignas(16) static std::byte memories[3][64] = {};
  std::byte* const peers[] = {memories[0], memories[1], memories[2]};
  const Multicast to{nullptr, peers, 3};
  GlobalMemory memory;
  memory.Add("memories", memories, sizeof(memories));
  RunKernel({.threads = 32}, 0, memory, [&](const HostLane& lane) {
    if (lane.ThreadIndex() != 0) return;
    lane.StoreMulticast(to, 16, Word4{1, 2, 3, 4});
    lane.StoreMulticast(to, 40, Word2{5, 6});
    lane.StoreSystem(reinterpret_cast<Word4*>(memories[1]), Word4{7, 8, 9, 10});
  });
  for (int i = 0; i < 3; ++i) {
    uint32_t words[16];
    std::memcpy(words, memories[i], sizeof(words));
    BOOST_TEST(words[0] == (i == 1 ? 7u : 0u));
    BOOST_TEST(words[4] == 1u);
    BOOST_TEST(words[7] == 4u);
    BOOST_TEST(words[10] == 5u);
    BOOST_TEST(words[11] == 6u);
  }
}

// A range that no earlier grid writes may be read before the wait for it, others not.
BOOST_AUTO_TEST_CASE(constant_memory_before_the_grid_dependency) {
  static const float values[2] = {1, 2};
  const LaunchShape shape{.threads = 32, .dependent = true};
  GlobalMemory memory;
  memory.Add("weights", values, 4, true);
  memory.Add("x", values + 1, 4);
  RunKernel(shape, 0, memory, [&](const HostLane& lane) {
    lane.LoadGlobal(values);
    lane.GridDependencyWait();
    lane.LoadGlobal(values + 1);
  });
  ExpectFault(
      shape, memory, [&](const HostLane& lane) { lane.LoadGlobal(values + 1); }, FaultKind::kRace,
      "before the wait for the grid");
}

// ---- Arithmetic that only the lane has.

BOOST_AUTO_TEST_CASE(rounding_down) {
  std::mt19937 random(5);
  for (int i = 0; i < 200000; ++i) {
    const uint32_t mask = i % 2 == 0 ? 0xFFFFFFFFu : 0x3FFFFFFFu | (random() & 0x80000000u);
    const float a = std::bit_cast<float>(static_cast<uint32_t>(random()) & mask);
    const float b = std::bit_cast<float>(static_cast<uint32_t>(random()) & mask);
    const float c = std::bit_cast<float>(static_cast<uint32_t>(random()) & mask);
    // The sum of two doubles, exact in more digits, rounded down.
    const long double product = static_cast<long double>(a) * b;
    if (!std::isfinite(product) || std::isnan(c)) continue;
    if (std::abs(std::ilogb(product) - std::ilogb(c)) > 38) continue;
    const long double exact = product + c;
    const float down = FmaDown(a, b, c);
    if (exact == 0) continue;
    BOOST_TEST_REQUIRE(static_cast<long double>(down) <= exact);
    const float next = std::nextafter(down, HUGE_VALF);
    BOOST_TEST_REQUIRE(static_cast<long double>(next) > exact);
  }
  BOOST_TEST(std::signbit(FmaDown(1, 1, -1)));
  BOOST_TEST(!std::signbit(FmaDown(0, 1, 0)));
  // Only the error of the sum says that the value lies below.
  BOOST_TEST(FmaDown(0x1p-80f, -1, 1) == std::nextafter(1.0f, 0.0f));
  BOOST_TEST(FmaDown(0x1p-80f, 1, 1) == 1.0f);
}

BOOST_AUTO_TEST_CASE(saturation_minimum_maximum) {
  const float nan = std::bit_cast<float>(0xFFC00001u);
  BOOST_TEST(std::bit_cast<uint32_t>(Saturate(nan)) == 0u);
  BOOST_TEST(std::bit_cast<uint32_t>(Saturate(-0.0f)) == 0u);
  BOOST_TEST(Saturate(1.5f) == 1.0f);
  BOOST_TEST(Saturate(0.25f) == 0.25f);
  BOOST_TEST(Min(nan, 2) == 2.0f);
  BOOST_TEST(Max(2, nan) == 2.0f);
  BOOST_TEST(std::bit_cast<uint32_t>(Min(nan, nan)) == 0x7FFFFFFFu);
  BOOST_TEST(std::signbit(Min(0.0f, -0.0f)));
  BOOST_TEST(!std::signbit(Max(-0.0f, 0.0f)));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace samebits::gpu::simt
