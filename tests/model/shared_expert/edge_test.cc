// Edge cases of the specification's section 9 that concern the numbers and the mailboxes.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "model/arith/bfloat16.h"
#include "model/shared_expert/inputs.h"
#include "model/shared_expert/mailbox.h"
#include "tests/model/shared_expert/case.h"

namespace samebits::shared_expert::testing {
namespace {

constexpr int kWidth = 512, kHidden = 64;  // of Small(8)
constexpr int kTokens = 3;
constexpr uint16_t kOne = 0x3F80, kInf = 0x7F80, kMinusInf = 0xFF80, kNan = 0x7FC1;
constexpr uint16_t kCanonicalNan = 0x7FFF;

/// One rank whose tokens are all (1, 0, 0, ...) and whose weights are zero: gate and up of column j
/// are the first elements of their rows.
Case Blank(const Settings& changes = {}) {
  Settings settings = changes;
  settings.emplace("batch", std::to_string(kTokens));
  settings.emplace("rank", "0");
  Case c = MakeCase(Small(8, settings));
  for (const char* name : {"x", "gate_up", "down"}) {
    std::ranges::fill(Bf16(&c.inputs, name), uint16_t{0});
  }
  for (int t = 0; t < kTokens; ++t) Bf16(&c.inputs, "x")[t * kWidth] = kOne;
  return c;
}
void SetGate(Case* c, int j, int k, uint16_t value) {
  Bf16(&c->inputs, "gate_up")[j * kWidth + k] = value;
}
void SetUp(Case* c, int j, int k, uint16_t value) { SetGate(c, kHidden + j, k, value); }
void SetDown(Case* c, int column, int k, uint16_t value) {
  Bf16(&c->inputs, "down")[column * kHidden + k] = value;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(edge_cases)

BOOST_AUTO_TEST_CASE(zero_tokens_give_positive_zeros) {
  Case c = MakeCase(Small(8, {{"batch", "3"}, {"consumer", "1"}}));
  std::ranges::fill(Bf16(&c.inputs, "x"), uint16_t{0});
  const TensorSet results = Run(c);
  for (const uint16_t h : Bf16Output(results, "h")) BOOST_TEST_REQUIRE(h == 0);
  for (const uint16_t y : Bf16Tap(results, "push")) BOOST_TEST_REQUIRE(y == 0);
  for (const uint16_t y : Bf16Output(results, "reduced")) BOOST_TEST_REQUIRE(y == 0);
}

// h itself may be -0; what is pushed may not.
BOOST_AUTO_TEST_CASE(negative_zeros) {
  Case c = Blank();
  SetGate(&c, 0, 0, kMinusInf);  // A = -0
  SetUp(&c, 0, 0, kOne);
  SetGate(&c, 1, 0, 0x0001);  // A and U underflow
  SetUp(&c, 1, 0, 0x8001);
  SetGate(&c, 2, 0, kOne);
  SetUp(&c, 2, 0, kOne);
  SetDown(&c, 0, 0, kOne);    // -0 * 1
  SetDown(&c, 1, 2, 0x8001);  // about -0.7 * 2^-133, bf16 0x8001
  SetUp(&c, 3, 0, 0x3B80);    // 2^-8
  SetGate(&c, 3, 0, kOne);
  SetDown(&c, 2, 3, 0x8001);  // about -2^-142: float32 holds it, bf16 does not
  const TensorSet results = Run(c);
  const auto h = Bf16Output(results, "h");
  BOOST_TEST(h[0] == 0x8000);
  BOOST_TEST(h[1] == 0x8000);
  const auto push = Bf16Tap(results, "push");
  const auto acc = F32Tap(results, "down.acc");
  BOOST_TEST(push[0] == 0x0000);
  BOOST_TEST(push[1] == 0x8001);
  BOOST_TEST(acc[2] < 0.0f);
  BOOST_TEST(push[2] == 0x0000);
  Choices before;
  before.zero = ZeroRule::kPreRound;
  const TensorSet unsafe = Run(c, before);
  BOOST_TEST(Bf16Tap(unsafe, "push")[2] == 0x8000);
  BOOST_TEST(FirstDifferentTensor(results, unsafe) == "push");
}

BOOST_AUTO_TEST_CASE(a_nan_token_spoils_its_rows_alone) {
  const Case clean = MakeCase(Small(8, {{"batch", "3"}, {"rank", "2"}}));
  Case c = clean;
  Bf16(&c.inputs, "x")[kWidth + 77] = kNan;
  const TensorSet expected = Run(clean), results = Run(c);
  for (const auto& [tap, columns] : {std::pair{"h", kHidden}, std::pair{"push", kWidth}}) {
    const auto before = Bf16Tap(expected, tap), after = Bf16Tap(results, tap);
    for (int i = 0; i < kTokens * columns; ++i) {
      const uint16_t wanted = i / columns == 1 ? kCanonicalNan : before[i];
      BOOST_TEST_REQUIRE(after[i] == wanted, tap << " " << i);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_nan_weight_spoils_one_column_of_h) {
  Case c = MakeCase(Small(8, {{"batch", "3"}, {"rank", "2"}}));
  SetUp(&c, 20, 400, kNan);
  const TensorSet results = Run(c);
  const auto h = Bf16Output(results, "h");
  for (int i = 0; i < kTokens * kHidden; ++i) {
    BOOST_TEST_REQUIRE((h[i] == kCanonicalNan) == (i % kHidden == 20));
  }
  for (const uint16_t y : Bf16Tap(results, "push")) BOOST_TEST_REQUIRE(y == kCanonicalNan);
}

BOOST_AUTO_TEST_CASE(infinities_saturate) {
  Case c = Blank();
  const uint16_t gates[] = {kInf, kInf, kMinusInf, kMinusInf}, ups[] = {kInf, kMinusInf};
  const uint16_t expected[] = {0x42C8, 0xC2C8, 0x8000, 0x0000};  // 100, -100, -0, +0
  for (int j = 0; j < 4; ++j) {
    SetGate(&c, j, 0, gates[j]);
    SetUp(&c, j, 0, ups[j % 2]);
  }
  SetGate(&c, 4, 0, kOne);
  SetGate(&c, 4, 1, kInf);  // times 0
  const TensorSet results = Run(c);
  for (int j = 0; j < 4; ++j) BOOST_TEST(Bf16Output(results, "h")[j] == expected[j], j);
  BOOST_TEST(Bf16Output(results, "h")[4] == kCanonicalNan);
}

// Overflow in one CTA's part and its opposite in another's: the host would make another NaN.
BOOST_AUTO_TEST_CASE(opposite_infinite_parts_are_the_canonical_nan) {
  Case c = Blank();
  for (int t = 0; t < kTokens; ++t) {
    for (const int k : {0, 128}) Bf16(&c.inputs, "x")[t * kWidth + k] = 0x7180;  // 2^100
  }
  SetGate(&c, 0, 0, 0x7180);
  SetGate(&c, 0, 128, 0xF180);
  const TensorSet results = Run(c);
  const auto part = F32Tap(results, "part"), sum = F32Tap(results, "sum");
  BOOST_TEST(part[0] == INFINITY);
  BOOST_TEST(part[64 * kTokens] == -INFINITY);  // the second CTA's
  BOOST_TEST(arith::ToBits(sum[0]) == arith::kNanBits);
  BOOST_TEST(Bf16Output(results, "h")[0] == kCanonicalNan);
}

// Finite float32 sums that bf16 rounds to infinity.
BOOST_AUTO_TEST_CASE(overflow_of_the_rounding) {
  Case c = Blank();
  for (int t = 0; t < kTokens; ++t) Bf16(&c.inputs, "x")[t * kWidth + 1] = kOne;
  for (int row = 0; row < 2; ++row) {
    SetGate(&c, row * kHidden, 0, 0x7F7F);
    SetGate(&c, row * kHidden, 1, 0x7B00);  // 2^119: a tie, which goes to even, infinity
  }
  const TensorSet results = Run(c);
  BOOST_TEST(std::isfinite(F32Tap(results, "sum")[0]));
  BOOST_TEST(Bf16Tap(results, "gate")[0] == kInf);
  BOOST_TEST(Bf16Output(results, "h")[0] == 0x42C8);
}

BOOST_AUTO_TEST_CASE(subnormals_are_kept) {
  Case c = Blank();
  SetGate(&c, 0, 0, kOne);
  SetUp(&c, 0, 0, 0x0001);
  SetGate(&c, 1, 0, 0x0001);
  const TensorSet results = Run(c);
  BOOST_TEST(Bf16Tap(results, "up")[0] == 0x0001);
  BOOST_TEST(arith::ToBits(F32Tap(results, "situ.up")[0]) == 0x0000FFF5u);
  BOOST_TEST(arith::ToBits(F32Tap(results, "situ.gate")[1]) == 0x00008000u);
  BOOST_TEST(Bf16Output(results, "h")[0] == 0x0001);  // 0.716 * 2^-133
  Choices ftz;
  ftz.arithmetic = Arithmetic::kFtz;
  BOOST_TEST(FirstDifferentTensor(results, Run(c, ftz)) == "sum");
}

// 2^27 + 1 - 2^27: each owner sums in order of the CTAs (4.3).
BOOST_AUTO_TEST_CASE(order_of_the_parts) {
  Case c = Blank();
  const int first_k[] = {0, 128, 256};  // of the first three CTAs
  const uint16_t values[] = {0x4D00, kOne, 0xCD00};
  for (int i = 0; i < 3; ++i) {
    for (int t = 0; t < kTokens; ++t) Bf16(&c.inputs, "x")[t * kWidth + first_k[i]] = kOne;
    SetGate(&c, 0, first_k[i], values[i]);
    SetGate(&c, 1, first_k[i], values[(i + 1) % 3]);  // 1 - 2^27 + 2^27
    SetGate(&c, 2, first_k[i], values[(i + 2) % 3]);  // -2^27 + 2^27 + 1
  }
  const TensorSet results = Run(c);
  const auto sum = F32Tap(results, "sum");
  BOOST_TEST(sum[0] == 0.0f);
  BOOST_TEST(sum[kTokens] == 0.0f);
  BOOST_TEST(sum[2 * kTokens] == 1.0f);
}

BOOST_AUTO_TEST_CASE(ties_go_to_even) {
  Case c = Blank();
  for (int t = 0; t < kTokens; ++t) Bf16(&c.inputs, "x")[t * kWidth + 1] = kOne;
  SetGate(&c, 0, 0, kOne);
  SetGate(&c, 0, 1, 0x3B80);  // 1 + 2^-8
  SetUp(&c, 0, 0, 0x3F81);
  SetUp(&c, 0, 1, 0x3B80);  // 1 + 3*2^-8
  const TensorSet results = Run(c);
  BOOST_TEST(Bf16Tap(results, "gate")[0] == 0x3F80);
  BOOST_TEST(Bf16Tap(results, "up")[0] == 0x3F82);
}

// Exactly the rows of the step's parity, the ranks that run and t < B are written, with what was
// pushed, and no word of them is empty; everything else stays empty.
BOOST_AUTO_TEST_CASE(written_words_of_the_mailboxes) {
  const Settings cases[] = {
      Small(8, {{"batch", "5"}, {"capacity", "+3"}, {"parity", "1"}}),
      Small(8, {{"batch", "4"}, {"rank", "6"}}),
      Small(16, {{"batch", "2"}, {"variant", "split"}}),
      Small(2, {{"batch", "9"}, {"steps", "2"}, {"parity", "1"}}),
  };
  for (const Settings& settings : cases) {
    for (const char* style : {"realistic", "tiny", "specials"}) {
      const Case c = MakeCase(settings, style);
      const Config& config = c.config;
      const TensorSet results = Run(c);
      const auto mailbox = Bf16Output(results, "mailbox"), push = Bf16Tap(results, "push");
      const int shard = config.geometry.width / config.tp;
      for (size_t i = 0; i < mailbox.size(); ++i) {
        const int64_t column = i % shard, t = i / shard % config.capacity;
        const int64_t slot = i / shard / config.capacity;
        const int64_t source = slot % config.tp, half = slot / config.tp % 2;
        const int64_t peer = slot / config.tp / 2;
        const int64_t step = (half - config.parity + 2) % 2;
        const bool runs = config.rank == kAllRanks || config.rank == source;
        if (!runs || t >= config.batch || step >= config.steps) {
          BOOST_TEST_REQUIRE(mailbox[i] == SentinelBf16(column), "place " << i);
          continue;
        }
        const int64_t index = config.rank == kAllRanks ? source : 0;
        const int64_t row = (step * config.ranks() + index) * config.batch + t;
        BOOST_TEST_REQUIRE(mailbox[i] == push[row * config.geometry.width + peer * shard + column]);
        BOOST_TEST_REQUIRE(mailbox[i] != 0x8000);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(counters_end_at_zero_and_must_start_there) {
  Case c = MakeCase(Small(2, {{"steps", "3"}}));
  const TensorSet results = Run(c);
  for (const int32_t counter : results.At(Role::kOutput, "counters").view<int32_t>()) {
    BOOST_TEST(counter == 0);
  }
  c.inputs.At(Role::kInput, "counters").view<int32_t>()[1] = 120;
  BOOST_CHECK_EXCEPTION(CheckInputValues(c.config, c.inputs), ConfigError, [](const auto& e) {
    return std::string(e.what()).starts_with("counters[1]: 0x78");
  });
}

BOOST_AUTO_TEST_CASE(mailboxes_must_start_empty) {
  Case c = MakeCase(Small(2, {{"variant", "front"}}));
  CheckInputValues(c.config, c.inputs);
  c.inputs.At(Role::kInput, "front_logits").view<uint32_t>()[3] = 0;
  BOOST_CHECK_THROW(CheckInputValues(c.config, c.inputs), ConfigError);
}

// Latent columns that underflow, and the rows between logits and latent columns.
BOOST_AUTO_TEST_CASE(front_rows) {
  Case c = Blank({{"variant", "front"}, {"front_split", "+8"}, {"rank", "3"}});
  const int valid = c.config.front.valid, split = c.config.front.split;
  std::ranges::fill(Bf16(&c.inputs, "front"), uint16_t{0});
  const auto set = [&](int row, uint16_t value) { Bf16(&c.inputs, "front")[row * kWidth] = value; };
  for (int t = 0; t < kTokens; ++t) Bf16(&c.inputs, "x")[t * kWidth] = 0x3A80;  // 2^-10
  set(0, 0x8001);      // a logit of -2^-143
  set(1, 0xC480);      // -1024: -1
  set(valid, kInf);    // dropped
  set(split, 0x8001);  // a latent value of -2^-143
  set(split + 1, 0x4500);
  const TensorSet results = Run(c);
  const int rows = c.config.front.rows;  // of 64; the missing ones are zeros
  for (const float sum : F32Tap(results, "sum").subspan((2 * 64 + rows) * kTokens)) {
    BOOST_TEST_REQUIRE(arith::ToBits(sum) == 0u);
  }
  const auto logits = results.At(Role::kOutput, "front_logits").view<uint32_t>();
  const auto latent = Bf16Output(results, "front_latent");
  const int experts = c.config.geometry.experts, columns = c.config.geometry.latent;
  for (int row = 0; row < 8 * kTokens; ++row) {  // peers and tokens
    for (int e = 0; e < experts; ++e) {
      const int r = e - 3 * valid;
      const uint32_t wanted = r < 0 || r >= valid ? kSentinel
                              : r == 0            ? 0x80000040u
                              : r == 1            ? 0xBF800000u
                                                  : 0u;
      BOOST_TEST_REQUIRE(logits[row * experts + e] == wanted, "logit " << e);
    }
    for (int k = 0; k < columns; ++k) {
      const int r = k - 3 * (columns / 8);
      const uint16_t wanted = r < 0 || r >= columns / 8 ? SentinelBf16(k) : r == 1 ? 0x4000 : 0;
      BOOST_TEST_REQUIRE(latent[row * columns + k] == wanted, "latent " << k);
    }
  }
}

// All ranks, then the consumer, against float64 of the whole network without ranks (9, case 18).
BOOST_AUTO_TEST_CASE(end_to_end_against_float64) {
  const Case c = MakeCase(Small(8, {{"batch", "4"}, {"consumer", "1"}}));
  const TensorSet results = Run(c);
  const auto wide = [&](const char* name, int64_t i) {
    return double{arith::Widen(c.inputs.At(Role::kInput, name).view<uint16_t>()[i])};
  };
  for (int t = 0; t < 4; ++t) {
    std::vector<double> h;
    for (int64_t j = 0; j < 8 * kHidden; ++j) {
      const int64_t row = j / kHidden * 2 * kHidden + j % kHidden;
      double g = 0, u = 0;
      for (int k = 0; k < kWidth; ++k) {
        g += wide("gate_up", row * kWidth + k) * wide("x", t * kWidth + k);
        u += wide("gate_up", (row + kHidden) * kWidth + k) * wide("x", t * kWidth + k);
      }
      h.push_back(4 * std::tanh(g / 4) / (1 + std::exp(-g)) * 25 * std::tanh(u / 25));
    }
    for (int64_t o = 0; o < kWidth; ++o) {
      double y = 0;
      for (int64_t j = 0; j < 8 * kHidden; ++j) {
        y += wide("down", (j / kHidden * kWidth + o) * kHidden + j % kHidden) * h[j];
      }
      const double found = arith::Widen(Bf16Output(results, "reduced")[t * kWidth + o]);
      BOOST_TEST_REQUIRE(std::fabs(found - y) <= 8e-2 + 3e-2 * std::fabs(y),
                         "token " << t << ", column " << o << ": " << found << " and " << y);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace samebits::shared_expert::testing
