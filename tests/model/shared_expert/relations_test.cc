// Exact relations between configurations (SPEC.md 1.4).
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "tests/model/shared_expert/case.h"

namespace samebits::shared_expert::testing {
namespace {

/// The tensors of these names, taps before outputs.
TensorSet Only(const TensorSet& set, const std::vector<std::string>& names) {
  TensorSet only;
  for (const Tensor& tensor : set.tensors) {
    if (std::ranges::find(names, tensor.spec.name) != names.end()) only.tensors.push_back(tensor);
  }
  return only;
}

const std::vector<std::string> kShared = {"gate", "up", "situ", "h", "down.acc", "push", "mailbox"};

/// Inputs of one case in another one with the same shapes of them.
Case WithInputs(const Settings& settings, const Case& from) {
  Case c = MakeCase(settings);
  for (Tensor& tensor : c.inputs.tensors) {
    const Tensor* same = from.inputs.Find(Role::kInput, tensor.spec.name);
    if (same != nullptr && same->spec == tensor.spec) tensor = *same;
  }
  return c;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(relations)

// R1, R2: FUSED, and SPLIT with any number of CTAs.
BOOST_AUTO_TEST_CASE(fused_and_split_are_equal) {
  for (const int tp : {8, 16}) {
    const Case fused = MakeCase(Small(tp, {{"batch", "9"}, {"steps", "2"}}), "cancelling");
    const TensorSet expected = Only(Run(fused), kShared);
    for (const char* sms : {"1", "7", "132"}) {
      const Case split = WithInputs(
          Small(tp, {{"variant", "split"}, {"batch", "9"}, {"steps", "2"}, {"sms", sms}}), fused);
      BOOST_TEST(FirstDifference(expected, Only(Run(split), kShared)) == "", tp);
    }
  }
}

// R3: FRONT's h is that of the other variants with the same number of CTAs per tile.
BOOST_AUTO_TEST_CASE(front_equals_split_at_the_same_ks) {
  const Settings small = Small(8, {{"variant", "front"}, {"batch", "5"}, {"rank", "2"}});
  const Case front = MakeCase(small, "cancelling");
  Settings same = Small(8, {{"variant", "split"}, {"batch", "5"}, {"rank", "2"}});
  same["grid"] = "8";  // ks 4
  Settings other = same;
  other["grid"] = "10";  // ks 5
  const TensorSet expected = Run(front), equal = Run(WithInputs(same, front));
  const TensorSet different = Run(WithInputs(other, front));
  BOOST_TEST(FirstDifference(Only(expected, kShared), Only(equal, kShared)) == "");
  const auto sums = [](const TensorSet& set) { return F32Tap(set, "sum").first(2 * 64 * 5); };
  BOOST_TEST(std::ranges::equal(sums(expected), sums(equal)));
  BOOST_TEST(!std::ranges::equal(sums(expected), sums(different)));
}

// R5: a token's results do not depend on the batch or its place in it.
BOOST_AUTO_TEST_CASE(tokens_are_independent) {
  constexpr int kWidth = 512, kHidden = 64;
  for (const char* style : {"realistic", "specials"}) {
    const Case many = MakeCase(Small(8, {{"batch", "17"}, {"rank", "1"}}), style);
    const TensorSet expected = Run(many);
    for (const int token : {0, 7, 8, 16}) {
      Case one = WithInputs(Small(8, {{"batch", "3"}, {"rank", "1"}}), many);
      for (int i = 0; i < kWidth; ++i) {
        Bf16(&one.inputs, "x")[2 * kWidth + i] =
            many.inputs.At(Role::kInput, "x").view<uint16_t>()[token * kWidth + i];
      }
      const TensorSet results = Run(one);
      const auto equal = [&](std::string_view tap, int columns) {
        const auto all = Bf16Tap(expected, tap), some = Bf16Tap(results, tap);
        return std::ranges::equal(all.subspan(token * columns, columns),
                                  some.subspan(2 * columns, columns));
      };
      BOOST_TEST(equal("h", kHidden), token);
      BOOST_TEST(equal("push", kWidth), token);
    }
  }
}

// Ranks one at a time write what they write when all run one after the other (7).
BOOST_AUTO_TEST_CASE(ranks_are_independent) {
  const Case all = MakeCase(Small(8, {{"batch", "4"}}));
  const TensorSet expected = Run(all);
  for (const int rank : {0, 3, 7}) {
    Case one = MakeCase(Small(8, {{"batch", "4"}, {"rank", std::to_string(rank)}}));
    for (const char* name : {"x", "gate_up", "down"}) {
      const Tensor& from = all.inputs.At(Role::kInput, name);
      Tensor& to = one.inputs.At(Role::kInput, name);
      const size_t bytes = to.data.size();
      const size_t first = std::string(name) == "x" ? 0 : rank * bytes;
      std::copy_n(from.data.begin() + first, bytes, to.data.begin());
    }
    const TensorSet results = Run(one);
    const auto pushed = Bf16Tap(expected, "push"), alone = Bf16Tap(results, "push");
    BOOST_TEST(std::ranges::equal(pushed.subspan(rank * alone.size(), alone.size()), alone), rank);
  }
}

BOOST_AUTO_TEST_CASE(split_rules_differ_and_span_rules_of_equal_spans_do_not) {
  const Case five = MakeCase(Small(8, {{"rank", "0"}}), "cancelling");
  const TensorSet expected = Run(five);
  for (const SplitRule rule :
       {SplitRule::kFloor, SplitRule::kBalancedLast, SplitRule::kCeilChunk}) {
    Choices choices;
    choices.split = rule;
    BOOST_TEST(FirstDifferentTensor(expected, Run(five, choices)) == "part");
  }
  const Case four = MakeCase(Small(8, {{"rank", "0"}, {"grid", "8"}}), "cancelling");
  for (const SplitRule rule :
       {SplitRule::kFloor, SplitRule::kBalancedLast, SplitRule::kCeilChunk}) {
    Choices choices;
    choices.split = rule;
    BOOST_TEST(FirstDifference(Run(four), Run(four, choices)) == "");
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace samebits::shared_expert::testing
