// Kernels on asynchronous matrix units, tensor copies and clusters: the executor computes what the
// model does, and finds each fault that is put in.
#include <boost/test/unit_test.hpp>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "gpu/simt/schedule.h"
#include "gpu/simt/tensor_map.h"
#include "model/arith/bfloat16.h"
#include "model/arith/float32.h"
#include "model/units/matrix_unit.h"
#include "tests/gpu/simt/product_kernel.h"
#include "tests/gpu/simt/run_kernel.h"

namespace samebits::gpu::simt {
namespace {

using P = ProductParams;
constexpr int kClusters = 2;

struct Operands {
  std::vector<uint16_t> a, b;
  std::vector<TensorMap> maps;  // of a, of b
  std::vector<float> expected;  // [kN, 64]

  Operands() : a(P::kRows * P::kColumns), b(P::kN * P::kColumns) {
    Random random(7);
    for (std::vector<uint16_t>* values : {&a, &b}) {
      for (uint16_t& value : *values) {
        const float x = static_cast<float>(random.Below(2000)) / 1000.0f - 1.0f;
        value = arith::RoundToBf16(x);
      }
    }
    const auto describe = [](const uint16_t* base, int rows, int box_rows) {
      return EncodeTensorMap(
          {base, P::kColumns, rows, 2 * P::kColumns, P::kBlockK, box_rows, Swizzle::k128Bytes});
    };
    maps = {describe(a.data(), P::kRows, P::kRows / 2), describe(b.data(), P::kN, P::kN)};
    Expect();
  }
  // The maps point into the operands.
  Operands(const Operands&) = delete;

 private:
  void Expect() {
    std::vector<float> sums(P::kRows * P::kN, 0.0f), part(P::kRows * P::kN);
    constexpr int kSpan = P::kSteps * P::kBlockK;
    for (int c = 0; c < P::kRanks; ++c) {
      units::GemmPlain({}, {P::kN, P::kRows, kSpan}, b.data() + c * kSpan, P::kColumns,
                       a.data() + c * kSpan, P::kColumns, nullptr, P::kRows, part.data(), P::kRows);
      for (size_t i = 0; i < sums.size(); ++i) sums[i] = arith::Add(sums[i], part[i]);
    }
    expected = sums;
  }
};

const Operands& TestOperands() {
  static const Operands operands;
  return operands;
}

template <bool kTcgen05, bool kMapped>
std::string Run(Broken broken, uint64_t schedule) {
  using Kernel = ProductKernel<HostLane, kTcgen05, kMapped>;
  const Operands& o = TestOperands();
  const size_t size = o.expected.size();
  std::vector<float> out(kClusters * size, -1.0f);
  GlobalMemory memory;
  memory.Add("a", o.a.data(), 2 * static_cast<int64_t>(o.a.size()));
  memory.Add("b", o.b.data(), 2 * static_cast<int64_t>(o.b.size()));
  memory.Add("maps", o.maps.data(), static_cast<int64_t>(o.maps.size() * sizeof(TensorMap)));
  memory.Add("out", out.data(), 4 * static_cast<int64_t>(out.size()));
  const P params{o.maps.data(), o.b.data(), o.maps.data() + 1, out.data(), broken};
  const LaunchShape shape{.blocks = kClusters * P::kRanks,
                          .threads = Kernel::kThreads,
                          .cluster = P::kRanks,
                          .shared_bytes = Kernel::kSharedBytes};
  try {
    RunKernel(shape, schedule, memory, [&](const HostLane& lane) {
      const int thread = lane.ThreadIndex();
      Kernel{lane, params, thread, thread / 32, lane.ClusterRank()}.Run();
    });
  } catch (const Fault& fault) {
    return fault.what();
  }
  for (int c = 0; c < kClusters; ++c) {
    if (std::memcmp(out.data() + static_cast<size_t>(c) * size, o.expected.data(), 4 * size) != 0) {
      return "wrong bits";
    }
  }
  return "";
}

/// Faults that this kernel cannot have.
bool Applies(Broken broken, bool tcgen05, bool mapped) {
  switch (broken) {
    case Broken::kNoProxyFence:
    case Broken::kWrongSwizzle:
    case Broken::kNoCopyArrival:
      return !mapped;
    case Broken::kNoRegisterFence:
    case Broken::kEmptyCountTooSmall:
      return !tcgen05;
    case Broken::kNoFenceAfter:
    case Broken::kNoLoadWait:
    case Broken::kNoFree:
      return tcgen05;
    default:
      return true;
  }
}

template <bool kTcgen05, bool kMapped>
void ExpectCorrect() {
  for (uint64_t schedule = 0; schedule < kSchedules; ++schedule) {
    BOOST_TEST(
        (Run<kTcgen05, kMapped>(Broken::kNothing, schedule)) == "",
        "schedule " << schedule << ": " << (Run<kTcgen05, kMapped>(Broken::kNothing, schedule)));
  }
}

template <bool kTcgen05, bool kMapped>
void ExpectDetected() {
  for (int i = 1; i < static_cast<int>(Broken::kCount); ++i) {
    const auto broken = static_cast<Broken>(i);
    if (!Applies(broken, kTcgen05, kMapped)) continue;
    std::string found;
    uint64_t schedule = 0;
    for (; schedule < kSchedules && found.empty(); ++schedule) {
      found = Run<kTcgen05, kMapped>(broken, schedule);
    }
    const std::string_view name = kBrokenNames[static_cast<size_t>(i)];
    BOOST_TEST(!found.empty(), name << ": not detected in " << kSchedules << " schedules");
    BOOST_TEST_MESSAGE(name << ": schedule " << schedule - 1 << ": " << found);
  }
}

/// One stage, filled twice by warp 1, which never waits for what it fills it with: only the commit
/// of the products of warp 0, which does, tells it that its first copies are complete.
struct Refill {
  static constexpr int kA = P::kRows * 128, kBytes = kA + P::kN * 128, kBarriers = 12288;
  static constexpr int kSharedBytes = kBarriers + 64;
  const HostLane& lane;
  const std::vector<TensorMap>& maps;
  bool waits;  // for the commit

  uint64_t* Barrier(int i) const {
    return reinterpret_cast<uint64_t*>(lane.shared() + kBarriers) + i;
  }
  uint32_t* Tmem() const { return reinterpret_cast<uint32_t*>(Barrier(2)); }

  void Run() const {
    const int warp = lane.ThreadIndex() / 32;
    const bool first = lane.ThreadIndex() % 32 == 0;
    if (warp == 0) {
      lane.TmemAllocate(Tmem(), 32);
      if (first) {
        lane.MbarrierInit(Barrier(0), 1);
        lane.MbarrierInit(Barrier(1), 1);
        lane.MbarrierInitFence();
      }
    }
    lane.BlockBarrier();
    if (warp == 0) {
      Multiply(first);
      lane.TmemFree(lane.LoadShared(Tmem()), 32);
    } else if (first) {
      lane.TensorMapAcquire(maps.data());
      lane.TensorMapAcquire(maps.data() + 1);
      for (int k = 0; k < 2; ++k) Fill(k);
    }
  }
  void Fill(int k) const {
    if (k == 1 && waits) lane.MbarrierWait(Barrier(1), 0);
    lane.MbarrierArriveExpect(Barrier(0), kBytes);
    lane.TensorLoad(lane.shared(), maps.data(), k * P::kBlockK, 0, Barrier(0));
    lane.TensorLoad(lane.shared() + kA / 2, maps.data(), k * P::kBlockK, 32, Barrier(0));
    lane.TensorLoad(lane.shared() + kA, maps.data() + 1, k * P::kBlockK, 0, Barrier(0));
  }
  void Multiply(bool first) const {
    const uint32_t d = lane.LoadShared(Tmem());
    for (int k = 0; k < 2; ++k) {
      lane.MbarrierWait(Barrier(0), k);
      lane.WarpBarrier();  // no lane may still wait when the next phase ends
      lane.Tcgen05FenceAfter();
      if (first) {
        lane.Tcgen05Mma(d, lane.Tcgen05Descriptor(lane.shared()),
                        lane.Tcgen05Descriptor(lane.shared() + kA), Tcgen05Instruction(P::kN),
                        k != 0);
        lane.Tcgen05Commit(Barrier(1));
      }
      if (k == 1) lane.MbarrierWait(Barrier(1), 1);
    }
    lane.Tcgen05FenceAfter();
  }
};
std::string RunRefill(bool waits, uint64_t schedule) {
  const Operands& o = TestOperands();
  GlobalMemory memory;
  memory.Add("a", o.a.data(), 2 * static_cast<int64_t>(o.a.size()));
  memory.Add("b", o.b.data(), 2 * static_cast<int64_t>(o.b.size()));
  memory.Add("maps", o.maps.data(), static_cast<int64_t>(o.maps.size() * sizeof(TensorMap)));
  const LaunchShape shape{.blocks = 1, .threads = 64, .shared_bytes = Refill::kSharedBytes};
  const auto fault = FaultOf(shape, schedule, memory, [&](const HostLane& lane) {
    Refill{lane, o.maps, waits}.Run();
  });
  return fault ? fault->what() : "";
}

BOOST_AUTO_TEST_SUITE(product_kernels)

BOOST_AUTO_TEST_CASE(a_commit_carries_what_its_products_waited_for) {
  for (uint64_t schedule = 0; schedule < kSchedules; ++schedule) {
    BOOST_TEST_CONTEXT("schedule " << schedule) {
      BOOST_TEST(RunRefill(true, schedule) == "");
      BOOST_TEST(RunRefill(false, schedule) != "");
    }
  }
}

BOOST_AUTO_TEST_CASE(wgmma_of_tensor_copies) { ExpectCorrect<false, true>(); }
BOOST_AUTO_TEST_CASE(wgmma_of_row_copies) { ExpectCorrect<false, false>(); }
BOOST_AUTO_TEST_CASE(tcgen05_of_tensor_copies) { ExpectCorrect<true, true>(); }
BOOST_AUTO_TEST_CASE(tcgen05_of_row_copies) { ExpectCorrect<true, false>(); }

BOOST_AUTO_TEST_CASE(faults_of_wgmma) { ExpectDetected<false, false>(); }
BOOST_AUTO_TEST_CASE(faults_of_tcgen05) { ExpectDetected<true, false>(); }
BOOST_AUTO_TEST_CASE(faults_of_tensor_copies) { ExpectDetected<true, true>(); }

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace samebits::gpu::simt
