// The small functions of kda_decode's block.cuh: the short forms of sigmoid and SiLU have the bits
// of those of SPEC.md section 3.0, the blocks share the items as section 7.1 says.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstring>
#include <vector>

#include "gpu/kda_decode/block.cuh"
#include "tests/gpu/simt/run_kernel.h"

namespace samebits::gpu::kda_ws {
namespace {

/// Each exponent and sign, with mantissas at both ends and between; then the bounds of the
/// scalings.
std::vector<float> Arguments() {
  std::vector<float> values;
  for (uint32_t high = 0; high < 512; ++high) {
    for (const uint32_t mantissa : {0u, 1u, 0x2AAAAAu, 0x400000u, 0x5A5A5Au, 0x7FFFFFu}) {
      const uint32_t bits = high << 23 | mantissa;
      float value;
      std::memcpy(&value, &bits, sizeof value);
      values.push_back(value);
    }
  }
  // exp(-x) near 2^126 and 2^-126, and where it overflows.
  for (const float at : {-87.33655f, 87.33655f, -88.02969f, -88.72284f, 103.97208f}) {
    for (int i = -64; i <= 64; ++i) values.push_back(at + std::ldexp(static_cast<float>(i), -17));
  }
  return values;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(kda_decode_functions)

BOOST_AUTO_TEST_CASE(sigmoid_and_silu_without_needless_scaling) {
  simt::RunKernel({.threads = 32}, 0, {}, [](const HostLane& lane) {
    if (lane.ThreadIndex() != 0) return;
    for (const float x : Arguments()) {
      const float divisor = lane.Add(1.0f, Exp(lane, -x));
      BOOST_TEST_CONTEXT("bits " << std::hex << lane.Bits(x)) {
        BOOST_TEST(lane.Bits(Silu(lane, x)) == lane.Bits(lane.DivFull(x, divisor)));
        BOOST_TEST(lane.Bits(Sigmoid(lane, x)) == lane.Bits(lane.DivFull(1.0f, divisor)));
      }
    }
  });
}

/// RangeOfBlock's view of a lane.
struct BlockLane {
  int index;
  int blocks;
  int BlockIndex() const { return index; }
  int GridBlocks() const { return blocks; }
};

BOOST_AUTO_TEST_CASE(items_of_a_block) {
  Params params{};
  for (const auto [heads, requests] :
       {std::pair{12, 64}, {12, 256}, {24, 11}, {1, 1}, {96, 4096}}) {
    params.heads = heads;
    params.requests = requests;
    const int64_t total = int64_t{heads} * requests;
    for (const int blocks : {1, 2, 5, 131, 132, 148}) {
      for (int b = 0; b < blocks; ++b) {
        const ItemRange range = RangeOfBlock(BlockLane{b, blocks}, params);
        BOOST_TEST(range.first == total * b / blocks);
        BOOST_TEST(range.first + range.count == total * (b + 1) / blocks);
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace samebits::gpu::kda_ws
