// Derived numbers against the specification's tables, and the constraints C1..C8
// (SPEC.md 2.4, 2.5).
#include "model/shared_expert/config.h"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "model/shared_expert/axes.h"
#include "model/shared_expert/derived.h"
#include "model/shared_expert/spans.h"
#include "tests/model/shared_expert/case.h"
#include "tests/model/shared_expert/refusals.h"

namespace samebits::shared_expert {
namespace {

Config Real(Variant variant, int tp, int batch) {
  Settings settings = {{"tp", std::to_string(tp)}, {"batch", std::to_string(batch)}};
  settings["variant"] = variant == Variant::kFused   ? "fused"
                        : variant == Variant::kSplit ? "split"
                                                     : "front";
  return ReadConfig(settings);
}

/// A row of the table of section 2.4: per tp 8 and 16.
struct Row {
  int n, stage, stages, bytes[2], down_stages[2], columns;
};
const Row kRows[] = {
    {16, 10240, 8, {87452, 87324}, {21, 22}, 32},
    {24, 11264, 7, {87052, 86860}, {19, 21}, 32},
    {32, 12288, 6, {84604, 84348}, {17, 20}, 32},
    {40, 13312, 6, {93436, 93116}, {16, 19}, 64},
    {48, 14336, 5, {87916, 87532}, {14, 18}, 64},
    {56, 15360, 5, {95724, 95276}, {12, 17}, 64},
    {64, 16384, 5, {103532, 103020}, {10, 16}, 64},
    {72, 17408, 4, {93916, 93340}, {9, 15}, 128},
    {80, 18432, 4, {100700, 100060}, {7, 14}, 128},
    {96, 20480, 4, {114268, 113500}, {3, 12}, 128},
    {104, 21504, 3, {99532, 98700}, {2, 11}, 128},
    {112, 22528, 3, {105292, 104396}, {0, 10}, 128},
    {120, 23552, 3, {111052, 110092}, {-1, 9}, 128},
    {128, 24576, 3, {116812, 115788}, {-1, 8}, 128},
};

using testing::FrontWith;
using testing::Refusal;
using testing::Refusals;

std::string Message(const Settings& settings) {
  try {
    ReadConfig(settings);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

BOOST_AUTO_TEST_SUITE(config)

BOOST_AUTO_TEST_CASE(numbers_of_the_two_sizes) {
  for (const int tp : {8, 16}) {
    const Derived d = Derive(Real(Variant::kFused, tp, 16));
    BOOST_TEST(d.hidden == (tp == 8 ? 768 : 384));
    BOOST_TEST(d.gate_tiles == (tp == 8 ? 24 : 12));
    BOOST_TEST(d.down_blocks == (tp == 8 ? 12 : 6));
    BOOST_TEST(d.ks == (tp == 8 ? 5 : 10));
    BOOST_TEST(d.blocks == (tp == 8 ? 23 : 12));
    BOOST_TEST(d.owner_width == (tp == 8 ? 8 : 4));
    BOOST_TEST(d.owners == (tp == 8 ? 4 : 8));
    BOOST_TEST(d.received_bytes == 320 * 16);
    BOOST_TEST(d.shard == (tp == 8 ? 896 : 448));
    BOOST_TEST(d.down_tiles == 112);
    BOOST_TEST(d.k_blocks == 112);
    const Derived f = Derive(Real(Variant::kFront, tp, 16));
    BOOST_TEST(f.tiles == (tp == 8 ? 33 : 17));
    BOOST_TEST(f.front_tiles == (tp == 8 ? 9 : 5));
    BOOST_TEST(f.ks == (tp == 8 ? 4 : 8));
    BOOST_TEST(f.grid == (tp == 8 ? 132 : 136));
    BOOST_TEST(f.blocks == (tp == 8 ? 28 : 14));
    BOOST_TEST(f.latent_shard == (tp == 8 ? 448 : 224));
  }
}

BOOST_AUTO_TEST_CASE(rings_and_shared_memory) {
  for (const Row& row : kRows) {
    for (const int i : {0, 1}) {
      const Derived d = Derive(Real(Variant::kFused, i == 0 ? 8 : 16, row.n));
      BOOST_TEST(d.n == row.n);
      BOOST_TEST(d.stage_bytes == row.stage);
      BOOST_TEST(d.stages == row.stages, row.n);
      BOOST_TEST(d.shared_bytes == row.bytes[i], row.n);
      BOOST_TEST(std::max(-1, d.down_stages) == row.down_stages[i], row.n);
      BOOST_TEST(d.tmem_columns == row.columns);
    }
  }
  const int front[2][7] = {{22, 19, 17, 16, 14, 13, 12}, {14, 14, 14, 14, 14, 13, 12}};
  for (int i = 0; i < 14; ++i) {
    const Derived d = Derive(Real(Variant::kFront, i < 7 ? 8 : 16, 16 + 8 * (i % 7)));
    BOOST_TEST(d.stages == front[i / 7][i % 7]);
    BOOST_TEST(d.shared_bytes <= kSharedMemoryLimit - kAlignmentReserve);
  }
}

BOOST_AUTO_TEST_CASE(limits_that_are_legal) {
  BOOST_TEST(Message({{"variant", "split"}, {"batch", "104"}}) == "accepted");
  BOOST_TEST(Message({{"variant", "split"}, {"batch", "128"}, {"tp", "16"}}) == "accepted");
  BOOST_TEST(Message({{"batch", "128"}}) == "accepted");
  BOOST_TEST(Message(FrontWith({{"batch", "64"}})) == "accepted");
  BOOST_TEST(Message(FrontWith({{"front_split", "+16"}, {"front_rows", "+7"}})) == "accepted");
  BOOST_TEST(Message(FrontWith({{"tp", "16"}, {"front_ks", "7"}, {"front_split", "+8"}})) ==
             "accepted");
  for (const int tp : {2, 8, 16}) {
    for (const char* variant : {"fused", "split", "front"}) {
      BOOST_TEST(Message(testing::Small(tp, {{"variant", variant}})) == "accepted");
    }
  }
}

BOOST_AUTO_TEST_CASE(illegal_configurations_are_refused_with_the_reason) {
  for (const Refusal& refusal : Refusals()) {
    const std::string message = Message(refusal.settings);
    BOOST_TEST(message.starts_with(refusal.field + ":"), message);
    BOOST_TEST(message.find(refusal.reason) != std::string::npos,
               message << " does not say: " << refusal.reason);
  }
}

BOOST_AUTO_TEST_CASE(only_tp_8_and_16_fit_the_real_model) {
  for (int tp = 1; tp <= kMaxTp; ++tp) {
    const bool legal = Message({{"tp", std::to_string(tp)}}) == "accepted";
    BOOST_TEST(legal == (tp == 8 || tp == 16), tp);
  }
}

BOOST_AUTO_TEST_CASE(complete_text_reads_back) {
  for (const Settings& settings :
       {Settings{}, FrontWith({{"tp", "16"}, {"front_split", "+8"}, {"batch", "33"}}),
        testing::Small(2, {{"rank", "1"}, {"capacity", "+5"}, {"beta", "3.7"}})}) {
    const Settings complete = WriteConfig(ReadConfig(settings));
    BOOST_TEST(complete.size() == ConfigTable().axes().size());
    BOOST_TEST((WriteConfig(ReadConfig(complete)) == complete));
    BOOST_TEST(complete.at("capacity").find('+') == std::string::npos);
  }
  BOOST_TEST(WriteConfig(ReadConfig({{"batch", "9"}, {"capacity", "+3"}})).at("capacity") == "12");
}

BOOST_AUTO_TEST_CASE(spans_of_the_specification) {
  using Spans = std::vector<Span>;
  const auto spans = [](SplitRule rule, int parts) {
    Spans all;
    for (int i = 0; i < parts; ++i) all.push_back(Split(rule, 112, i, parts));
    return all;
  };
  using enum SplitRule;
  BOOST_TEST((spans(kBalancedFirst, 5) == Spans{{0, 23}, {23, 23}, {46, 22}, {68, 22}, {90, 22}}));
  BOOST_TEST((spans(kFloor, 5) == Spans{{0, 22}, {22, 22}, {44, 23}, {67, 22}, {89, 23}}));
  BOOST_TEST((spans(kBalancedLast, 5) == Spans{{0, 22}, {22, 22}, {44, 22}, {66, 23}, {89, 23}}));
  BOOST_TEST((spans(kCeilChunk, 5) == Spans{{0, 23}, {23, 23}, {46, 23}, {69, 23}, {92, 20}}));
  BOOST_TEST((spans(kBalancedFirst, 10) == Spans{{0, 12},
                                                 {12, 12},
                                                 {24, 11},
                                                 {35, 11},
                                                 {46, 11},
                                                 {57, 11},
                                                 {68, 11},
                                                 {79, 11},
                                                 {90, 11},
                                                 {101, 11}}));
  BOOST_TEST((Split(kFloor, 112, 4, 10) == Span{44, 12}));
  BOOST_TEST((Split(kFloor, 112, 9, 10) == Span{100, 12}));
  BOOST_TEST((Split(kBalancedLast, 112, 8, 10) == Span{88, 12}));
  BOOST_TEST((Split(kBalancedLast, 112, 7, 10) == Span{77, 11}));
  BOOST_TEST((Split(kCeilChunk, 112, 9, 10) == Span{108, 4}));
}

BOOST_AUTO_TEST_CASE(spans_cover_every_block_once) {
  for (int rule = 0; rule < 4; ++rule) {
    for (int total = 1; total <= 112; ++total) {
      for (int parts = 1; parts <= std::min(16, total); ++parts) {
        int next = 0;
        for (int i = 0; i < parts; ++i) {
          const Span span = Split(static_cast<SplitRule>(rule), total, i, parts);
          BOOST_TEST_REQUIRE(span.first == next);
          BOOST_TEST_REQUIRE(span.count <= (total + parts - 1) / parts);
          BOOST_TEST_REQUIRE(span.count >= (rule == 3 ? 0 : total / parts));
          next += span.count;
        }
        BOOST_TEST_REQUIRE(next == total);
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace samebits::shared_expert
