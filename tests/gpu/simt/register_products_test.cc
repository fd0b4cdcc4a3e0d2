// wgmma with operand A in registers: the bits of the product from shared memory, and a fault for
// registers that change while a product reads them or have no fence.
#include <boost/test/unit_test.hpp>
#include <cstring>
#include <string>
#include <vector>

#include "gpu/simt/schedule.h"
#include "model/arith/bfloat16.h"
#include "model/units/matrix_unit.h"
#include "tests/gpu/simt/run_kernel.h"

namespace samebits::gpu::simt {
namespace {

constexpr int kRows = 64, kColumns = 64, kThreads = 128;

enum class Source : uint8_t { kTile, kRegisters };

struct Operands {
  std::vector<uint16_t> a, b;  // [kRows][kColumns], [n][kColumns]

  explicit Operands(int n)
      : a(kRows * kColumns), b(static_cast<size_t>(n) * static_cast<size_t>(kColumns)) {
    Random random(static_cast<uint64_t>(n));
    for (std::vector<uint16_t>* values : {&a, &b}) {
      for (uint16_t& value : *values) {
        value = arith::RoundToBf16(static_cast<float>(random.Below(2000)) / 1000.0f - 1.0f);
      }
    }
  }
};

/// Both operands are tiles in shared memory, A also in global memory for registers.
template <int kN>
struct Product {
  static constexpr int kSharedBytes = kRows * 128 + kN * 128;
  const HostLane& lane;
  const uint16_t* a;
  const uint16_t* b;

  void Fill() const {
    FillTile(lane.shared(), a, kRows);
    FillTile(lane.shared() + kRows * 128, b, kN);
    lane.FenceProxyAsync();
    lane.BlockBarrier();
  }
  void FillTile(std::byte* tile, const uint16_t* from, int rows) const {
    for (int i = lane.ThreadIndex(); i < rows * 8; i += kThreads) {
      const int row = i / 8, chunk = i % 8;
      lane.StoreShared(
          reinterpret_cast<Word4*>(tile + row / 8 * 1024 + row % 8 * 128 + (chunk ^ row % 8) * 16),
          lane.LoadGlobal(reinterpret_cast<const Word4*>(from + row * kColumns + chunk * 8)));
    }
  }
  uint64_t A() const { return lane.WgmmaDescriptor(lane.shared()); }
  uint64_t B() const { return lane.WgmmaDescriptor(lane.shared() + kRows * 128); }

  /// This thread's part of K columns 16 step .. of A.
  void Read(uint32_t (&to)[4], int step) const {
    const int warp = lane.ThreadIndex() / 32, l = lane.ThreadIndex() % 32;
    for (int i = 0; i < 4; ++i) {
      const int row = 16 * warp + l / 4 + 8 * (i % 2);
      const int k = 16 * step + 2 * (l % 4) + 8 * (i / 2);
      to[i] = lane.LoadGlobal(reinterpret_cast<const uint32_t*>(a + row * kColumns + k));
    }
  }
  void Store(const float (&d)[kN / 2], float* out) const {
    const int warp = lane.ThreadIndex() / 32, l = lane.ThreadIndex() % 32;
    for (int i = 0; i < kN / 2; ++i) {
      const int row = 16 * warp + l / 4 + 8 * (i % 4 / 2);
      lane.StoreGlobal(out + row * kN + 8 * (i / 4) + 2 * (l % 4) + i % 2, d[i]);
    }
  }

  /// A B^T, added twice.
  void Run(Source source, float* out) const {
    Fill();
    float d[kN / 2] = {};
    for (int round = 0; round < 2; ++round) {
      uint32_t registers[kColumns / 16][4];
      for (int s = 0; s < 4; ++s) Read(registers[s], s);
      lane.WgmmaFence();
      for (int s = 0; s < 4; ++s) {
        const uint64_t step = 2 * static_cast<uint64_t>(s);
        const bool accumulate = round + s != 0;
        if (source == Source::kTile) {
          lane.template Wgmma<kN>(d, A() + step, B() + step, accumulate);
        } else {
          lane.template Wgmma<kN>(d, registers[s], B() + step, accumulate);
        }
      }
      lane.WgmmaCommit();
      lane.template WgmmaWait<0>();
    }
    Store(d, out);
  }
};

template <int kN>
std::vector<float> RunProduct(const Operands& o, Source source, uint64_t schedule) {
  std::vector<float> out(kRows * kN, -1.0f);
  GlobalMemory memory;
  memory.Add("a", o.a.data(), 2 * static_cast<int64_t>(o.a.size()));
  memory.Add("b", o.b.data(), 2 * static_cast<int64_t>(o.b.size()));
  memory.Add("out", out.data(), 4 * static_cast<int64_t>(out.size()));
  const LaunchShape shape{
      .blocks = 1, .threads = kThreads, .shared_bytes = Product<kN>::kSharedBytes};
  RunKernel(shape, schedule, memory, [&](const HostLane& lane) {
    Product<kN>{lane, o.a.data(), o.b.data()}.Run(source, out.data());
  });
  return out;
}

template <int kN>
void ExpectSameBits() {
  const Operands o(kN);
  std::vector<float> expected(kRows * kN);
  for (int round = 0; round < 2; ++round) {
    units::GemmPlain({}, {kRows, kN, kColumns}, o.a.data(), kColumns, o.b.data(), kColumns,
                     round == 0 ? nullptr : expected.data(), kN, expected.data(), kN);
  }
  for (uint64_t schedule = 0; schedule < 8; ++schedule) {
    for (const Source source : {Source::kTile, Source::kRegisters}) {
      const std::vector<float> out = RunProduct<kN>(o, source, schedule);
      BOOST_TEST((std::memcmp(out.data(), expected.data(), 4 * out.size()) == 0),
                 "N " << kN << " schedule " << schedule
                      << (source == Source::kTile ? " from shared memory" : " from registers"));
    }
  }
}

using Small = Product<8>;
using Body = std::function<void(const Small& product, float (&d)[4], uint32_t (&a)[4])>;

/// The body after the tiles are filled and the registers hold K columns 0 ..
std::optional<Fault> RunBody(const Body& body, uint64_t schedule) {
  const Operands o(8);
  GlobalMemory memory;
  memory.Add("a", o.a.data(), 2 * static_cast<int64_t>(o.a.size()));
  memory.Add("b", o.b.data(), 2 * static_cast<int64_t>(o.b.size()));
  const LaunchShape shape{.blocks = 1, .threads = kThreads, .shared_bytes = Small::kSharedBytes};
  return FaultOf(shape, schedule, memory, [&](const HostLane& lane) {
    const Small product{lane, o.a.data(), o.b.data()};
    product.Fill();
    float d[4] = {};
    uint32_t a[4];
    product.Read(a, 0);
    body(product, d, a);
  });
}

void ExpectNoFault(const Body& body) {
  for (uint64_t schedule = 0; schedule < kSchedules; ++schedule) {
    const auto fault = RunBody(body, schedule);
    BOOST_TEST(!fault.has_value(), "schedule " << schedule << ": " << (fault ? fault->what() : ""));
  }
}

void ExpectFault(const Body& body, FaultKind kind, const std::string& text) {
  for (uint64_t schedule = 0; schedule < kSchedules; ++schedule) {
    const auto fault = RunBody(body, schedule);
    BOOST_TEST_REQUIRE(fault.has_value(), "schedule " << schedule << ": no fault");
    BOOST_TEST((fault->kind() == kind), "schedule " << schedule << ": " << fault->what());
    BOOST_TEST((std::string(fault->what()).find(text) != std::string::npos),
               "schedule " << schedule << ": " << fault->what());
  }
}

/// Two sums in flight; the wait for the first one frees its registers for the second.
Body Pipelined(bool fence) {
  return [fence](const Small& product, float(&d)[4], uint32_t(&a)[4]) {
    const HostLane& lane = product.lane;
    float other[4] = {};
    uint32_t next[4];
    product.Read(next, 1);
    lane.WgmmaFence();
    lane.Wgmma<8>(d, a, product.B(), false);
    lane.WgmmaCommit();
    lane.Wgmma<8>(other, next, product.B(), false);
    lane.WgmmaCommit();
    lane.WgmmaWait<1>();
    product.Read(a, 2);
    if (fence) lane.WgmmaFence();
    lane.Wgmma<8>(other, a, product.B(), true);
    lane.WgmmaCommit();
    lane.WgmmaWait<0>();
  };
}

BOOST_AUTO_TEST_SUITE(register_products)

BOOST_AUTO_TEST_CASE(are_those_of_shared_memory) {
  ExpectSameBits<8>();
  ExpectSameBits<16>();
  ExpectSameBits<64>();
  ExpectSameBits<128>();
}

BOOST_AUTO_TEST_CASE(a_register_changed_before_the_wait) {
  ExpectFault(
      [](const Small& product, float(&d)[4], uint32_t(&a)[4]) {
        product.lane.WgmmaFence();
        product.lane.Wgmma<8>(d, a, product.B(), false);
        product.lane.WgmmaCommit();
        if (product.lane.ThreadIndex() == 2 * 32 + 17) a[3] ^= 1;
        product.lane.WgmmaWait<0>();
      },
      FaultKind::kProxy, "thread 81 (warp 2 lane 17)");
}

BOOST_AUTO_TEST_CASE(a_register_changed_before_the_wait_for_an_earlier_group) {
  ExpectFault(
      [](const Small& product, float(&d)[4], uint32_t(&a)[4]) {
        product.lane.WgmmaFence();
        product.lane.Wgmma<8>(d, a, product.B(), false);
        product.lane.WgmmaCommit();
        product.Read(a, 1);
        product.lane.WgmmaWait<1>();
      },
      FaultKind::kProxy, "has changed a register that the product of line");
}

BOOST_AUTO_TEST_CASE(registers_filled_again_between_two_products) {
  ExpectFault(
      [](const Small& product, float(&d)[4], uint32_t(&a)[4]) {
        product.lane.WgmmaFence();
        product.lane.Wgmma<8>(d, a, product.B(), false);
        product.Read(a, 1);
        product.lane.WgmmaFence();
        product.lane.Wgmma<8>(d, a, product.B(), true);
      },
      FaultKind::kProxy, "has changed a register that the product of line");
}

BOOST_AUTO_TEST_CASE(no_fence_before_the_first_product) {
  ExpectFault([](const Small& product, float(&d)[4],
                 uint32_t(&a)[4]) { product.lane.Wgmma<8>(d, a, product.B(), false); },
              FaultKind::kProxy, "reads registers with no wgmma fence");
}

BOOST_AUTO_TEST_CASE(no_fence_after_a_change) {
  ExpectNoFault(Pipelined(true));
  ExpectFault(Pipelined(false), FaultKind::kProxy, "reads registers with no wgmma fence");
}

BOOST_AUTO_TEST_CASE(lanes_that_differ) {
  ExpectFault(
      [](const Small& product, float(&d)[4], uint32_t(&a)[4]) {
        product.lane.WgmmaFence();
        product.lane.Wgmma<8>(d, a, product.B() + (product.lane.ThreadIndex() % 32 == 5 ? 2 : 0),
                              false);
      },
      FaultKind::kOperand, "different operands");
  ExpectFault(
      [](const Small& product, float(&d)[4], uint32_t(&a)[4]) {
        product.lane.WgmmaFence();
        if (product.lane.ThreadIndex() % 2 == 0) {
          product.lane.Wgmma<8>(d, a, product.B(), false);
        } else {
          product.lane.Wgmma<8>(d, uint64_t{0}, product.B(), false);
        }
      },
      FaultKind::kOperand, "different operands");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace samebits::gpu::simt
