// Shared memory of a block against the table of SPEC.md section 7.5.
#include "gpu/kda_decode/shared_layout.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <vector>

namespace samebits::gpu::kda_ws {
namespace {

using kda_decode::ConvLayout;
using kda_decode::ConvType;

BOOST_AUTO_TEST_SUITE(shared_layout)

BOOST_AUTO_TEST_CASE(totals_of_the_specification) {
  // sd bf16, sd f32, ds bf16, ds f32; window = T + 2.
  constexpr int64_t kTotals[8][4] = {
      {85216, 89824, 85216, 89824},     {99040, 103648, 100576, 106720},
      {112864, 117472, 115936, 123616}, {126688, 131296, 131296, 140512},
      {140512, 145120, 146656, 157408}, {154336, 158944, 162016, 174304},
      {168160, 172768, 177376, 191200}, {181984, 186592, 192736, 208096}};
  for (int tokens = 1; tokens <= 8; ++tokens) {
    const auto total = [tokens](ConvLayout layout, ConvType type) {
      return SharedBytes(tokens, layout, type, tokens + 2);
    };
    const int64_t* expected = kTotals[tokens - 1];
    BOOST_TEST(total(ConvLayout::kChannelInner, ConvType::kBf16) == expected[0]);
    BOOST_TEST(total(ConvLayout::kChannelInner, ConvType::kF32) == expected[1]);
    BOOST_TEST(total(ConvLayout::kDimFirst, ConvType::kBf16) == expected[2]);
    BOOST_TEST(total(ConvLayout::kDimFirst, ConvType::kF32) == expected[3]);
  }
}

BOOST_AUTO_TEST_CASE(channel_innermost_does_not_depend_on_the_window) {
  BOOST_TEST(SharedBytes(3, ConvLayout::kChannelInner, ConvType::kF32, 5) ==
             SharedBytes(3, ConvLayout::kChannelInner, ConvType::kF32, 64));
}

BOOST_AUTO_TEST_CASE(sixteen_byte_alignment) {
  for (int tokens = 1; tokens <= 8; ++tokens) {
    const SharedLayout at = MakeSharedLayout(tokens);
    for (const int offset :
         {at.page, at.q, at.k, at.v, at.decay, at.out, at.gate, at.beta, at.meta, at.x_rows,
          at.gate_rows, at.f_a_rows, at.sums, at.out_sums, at.barriers, at.conv}) {
      BOOST_TEST(offset % 16 == 0);
    }
    BOOST_TEST(at.page % 1024 == 0);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace samebits::gpu::kda_ws
