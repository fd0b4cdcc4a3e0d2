// Shared memory of a block against the table of SPEC.md section 7.5.
#include "gpu/kda_decode/shared_layout.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <vector>

namespace samebits::gpu::kda_ws {
namespace {

using kda_decode::Config;
using kda_decode::ConvLayout;
using kda_decode::ConvType;

/// Calls visit(config) for every choice that a block's shared memory depends on.
template <typename Visit>
void ForConfigs(const Visit& visit) {
  for (int tokens = 1; tokens <= 8; ++tokens) {
    for (const ConvLayout layout : {ConvLayout::kChannelInner, ConvLayout::kDimFirst}) {
      for (const ConvType type : {ConvType::kBf16, ConvType::kF32}) {
        for (const bool record : {false, true}) {
          for (const bool bias : {false, true}) {
            Config config;
            config.tokens = tokens;
            config.window = tokens + 2;
            config.conv_layout = layout;
            config.conv_type = type;
            config.record = record;
            config.has_bias = bias;
            visit(config);
          }
        }
      }
    }
  }
}

int64_t LeastBytes(const Config& config) {
  return SharedBytes(config.tokens, config.conv_layout, config.conv_type, config.window);
}

BOOST_AUTO_TEST_SUITE(shared_layout)

BOOST_AUTO_TEST_CASE(at_most_the_totals_of_the_specification) {
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
    BOOST_TEST(total(ConvLayout::kChannelInner, ConvType::kBf16) <= expected[0]);
    BOOST_TEST(total(ConvLayout::kChannelInner, ConvType::kF32) <= expected[1]);
    BOOST_TEST(total(ConvLayout::kDimFirst, ConvType::kBf16) <= expected[2]);
    BOOST_TEST(total(ConvLayout::kDimFirst, ConvType::kF32) <= expected[3]);
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
         {at.page, at.q, at.k, at.v, at.decay, at.gate, at.beta, at.meta, at.slots, at.x_rows,
          at.f_a_rows, at.sums, at.out_sums, at.barriers, at.conv}) {
      BOOST_TEST(offset % 16 == 0);
    }
    BOOST_TEST(at.page % 1024 == 0);
  }
}

BOOST_AUTO_TEST_CASE(barrier_words) {
  // One per scan warp, three per operand block; of each prep group one per stage, one of the
  // weights; one of the first rows.
  BOOST_TEST(kBarrierWords >= kScanWarps + 3 * kBlocks + kPrepGroups * (kStages + 1) + 1);
  for (int tokens = 1; tokens <= 8; ++tokens) {
    const SharedLayout at = MakeSharedLayout(tokens);
    BOOST_TEST(at.conv - at.barriers >= 8 * kBarrierWords);
  }
}

BOOST_AUTO_TEST_CASE(extras_follow_each_other) {
  ForConfigs([](const Config& config) {
    const Extras extras = PlaceExtras(config);
    int64_t end = LeastBytes(config);
    if (extras.weights != 0) {
      BOOST_TEST(extras.weights % 256 == 0);
      BOOST_TEST(extras.weights >= end);
      end = extras.weights + HeadWeightsLayout::Bytes(config.has_bias);
    }
    if (extras.store_page != 0) {
      BOOST_TEST(extras.store_page % 256 == 0);
      BOOST_TEST(extras.store_page >= end);
      end = extras.store_page + kPageBytes;
    }
    BOOST_TEST(extras.total_bytes >= end);
    BOOST_TEST(extras.total_bytes <= kMaxSharedBytes);
  });
}

BOOST_AUTO_TEST_CASE(extras_come_where_they_fit) {
  int weights = 0, pages = 0;
  ForConfigs([&](const Config& config) {
    const Extras extras = PlaceExtras(config);
    const int64_t end = (LeastBytes(config) + 255) / 256 * 256;
    const int64_t with_weights = end + HeadWeightsLayout::Bytes(config.has_bias);
    BOOST_TEST((extras.weights != 0) == (with_weights <= kMaxSharedBytes));
    const int64_t with_page = (extras.weights != 0 ? with_weights : end) + kPageBytes;
    BOOST_TEST((extras.store_page != 0) == (!config.record && with_page <= kMaxSharedBytes));
    weights += extras.weights != 0;
    pages += extras.store_page != 0;
  });
  BOOST_TEST(weights > 0);
  BOOST_TEST(pages > 0);
}

// Channel-innermost and bf16; the windows of the other choices need more.
BOOST_AUTO_TEST_CASE(up_to_four_tokens_have_weights_and_store_page) {
  ForConfigs([](const Config& config) {
    if (config.conv_layout != ConvLayout::kChannelInner || config.conv_type != ConvType::kBf16)
      return;
    if (config.tokens > 4 || config.record) return;
    const Extras extras = PlaceExtras(config);
    BOOST_TEST(extras.weights != 0);
    BOOST_TEST(extras.store_page != 0);
  });
}

BOOST_AUTO_TEST_CASE(parts_of_the_head_weights) {
  // The copies are of 16 bytes each, and a row of features is read 8 bytes at a time.
  for (const int offset :
       {HeadWeightsLayout::kGate, HeadWeightsLayout::kGateStride, HeadWeightsLayout::kTaps,
        HeadWeightsLayout::kDtBias, HeadWeightsLayout::kBias, HeadWeightsLayout::Bytes(false),
        HeadWeightsLayout::Bytes(true)}) {
    BOOST_TEST(offset % 16 == 0);
  }
  BOOST_TEST(HeadWeightsLayout::kGateStride >= kHeadDim * 2);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace samebits::gpu::kda_ws
