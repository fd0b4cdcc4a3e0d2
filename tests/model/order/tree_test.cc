// The trees of kda_decode, as its SPEC.md prints them.
#include <fmt/format.h>

#include <boost/test/unit_test.hpp>

#include "model/order/builders.h"

namespace samebits::order {
namespace {

BOOST_AUTO_TEST_SUITE(tree)

std::string Sum(const std::string& x, const std::string& y) {
  return fmt::format("({} + {})", x, y);
}

/// SPEC.md 4.2, level by level: group 0 of the expanded form, shifted to group `first / 32`.
std::string Group32(int first) {
  const auto pair = [&](int i) {
    return Sum(std::to_string(first + i), std::to_string(first + i + 16));
  };
  const auto four = [&](int i) { return Sum(pair(i), pair(i + 8)); };
  const auto eight = [&](int i) { return Sum(four(i), four(i + 4)); };
  return Sum(Sum(eight(0), eight(2)), Sum(eight(1), eight(3)));
}

BOOST_AUTO_TEST_CASE(b32_is_the_expanded_form_of_the_specification) {
  const std::string expected =
      "(((((0 + 16) + (8 + 24)) + ((4 + 20) + (12 + 28))) + (((2 + 18) + (10 + 26)) + ((6 + 22) + "
      "(14 + 30)))) + ((((1 + 17) + (9 + 25)) + ((5 + 21) + (13 + 29))) + (((3 + 19) + (11 + 27)) "
      "+ ((7 + 23) + (15 + 31)))))";
  BOOST_TEST(ToText(Butterfly(32, Distance::kDescending)) == expected);
  BOOST_TEST(Group32(0) == expected);
}

BOOST_AUTO_TEST_CASE(norm128_joins_warps_0_2_and_1_3) {
  const Tree norm = Norm128();
  BOOST_TEST(ToText(norm) == Sum(Sum(Group32(0), Group32(64)), Sum(Group32(32), Group32(96))));
  const Counts counts = Count(norm);
  BOOST_TEST(counts.add == 127);
  BOOST_TEST(counts.depth == 7);
  BOOST_TEST(counts.fma == 0);
  BOOST_TEST(counts.leaves == 128);
}

BOOST_AUTO_TEST_CASE(ascending_forms) {
  BOOST_TEST(
      ToText(Norm128(Distance::kAscending)).starts_with("(((((((0 + 1) + (2 + 3)) + ((4 + "));
  // 4 values: distances 16, 8, then 1, 2, 4.
  BOOST_TEST(ToText(Norm128AscendingTail(2))
                 .starts_with("(((((((0 + 16) + (8 + 24)) + ((1 + 17) + (9 + 25))) + (((2 + 18) "));
  BOOST_TEST(Count(Norm128AscendingTail(2)).depth == 7);
}

BOOST_AUTO_TEST_CASE(norm128_is_no_butterfly_over_128) {
  const auto difference = FirstDifference(Norm128(), Butterfly(128, Distance::kDescending));
  BOOST_REQUIRE(difference.has_value());
  BOOST_TEST(Count(Butterfly(128, Distance::kDescending)).depth == 7);
}

BOOST_AUTO_TEST_CASE(keydot_has_32_chains_and_31_additions) {
  const Tree dot = KeyDot();
  const Counts counts = Count(dot);
  BOOST_TEST(counts.chains == 32);
  BOOST_TEST(counts.fma == 128);
  BOOST_TEST(counts.add == 31);
  BOOST_TEST(counts.depth == 4 + 2 + 3);
  const auto lane = [](int l) {
    const auto chain = [&](int e) {
      const int k = 4 * l + e;
      return fmt::format("F[{},{},{},{}]", k, k + 32, k + 64, k + 96);
    };
    return Sum(Sum(chain(0), chain(2)), Sum(chain(1), chain(3)));
  };
  const auto four = [&](int l) {
    return Sum(Sum(lane(l), lane(l + 4)), Sum(lane(l + 2), lane(l + 6)));
  };
  BOOST_TEST(ToText(dot) == Sum(four(0), four(1)));
}

BOOST_AUTO_TEST_CASE(stock_orders) {
  const std::string warp = ToText(Triton1Warp());
  BOOST_TEST(warp.starts_with("(((((F[0,2,3;1] + F[64,66,67;65]) + "));
  BOOST_TEST(Count(Triton1Warp()).fma == 96);
  BOOST_TEST(Count(Triton1Warp()).add == 31);
  const std::string norm = ToText(Triton16x8());
  BOOST_TEST(norm.starts_with("((((F[0,2,3,4,5,6,7;1] + F[64,66,67,68,69,70,71;65]) + "));
  BOOST_TEST(Count(Triton16x8()).fma == 112);
  BOOST_TEST(Count(Triton16x8()).depth == 7 + 4);
  BOOST_TEST(ToText(SkinnyGemm()).starts_with("((((F[0,1,2,3,4,5,6,7] + F[64,"));
  BOOST_TEST(ToText(Sequential(4)) == "F[0,1,2,3]");
  BOOST_TEST(ToText(Pairwise(4)) == "((0 + 1) + (2 + 3))");
}

BOOST_AUTO_TEST_CASE(convolution_starts_from_the_bias) {
  BOOST_TEST(ToText(Convolution(ConvOrder::kOldestFirst)) == "F[0,1,2,3;start]");
  BOOST_TEST(ToText(Convolution(ConvOrder::kNewestFirst)) == "F[3,2,1,0;start]");
}

BOOST_AUTO_TEST_CASE(gate_chains) {
  const auto block = [](int i, const std::string& accumulator) {
    return fmt::format("M{{{}..{};{}}}", 16 * i, 16 * i + 15, accumulator);
  };
  std::string nested = "+0";
  for (int i = 0; i < 8; ++i) nested = block(i, nested);
  BOOST_TEST(ToText(MatrixChains(1)) == nested);
  const auto pair = [&](int i) { return block(2 * i + 1, block(2 * i, "+0")); };
  BOOST_TEST(ToText(MatrixChains(4)) ==
             Sum("+0", Sum(Sum(Sum(pair(0), pair(1)), pair(2)), pair(3))));
  BOOST_TEST(Count(MatrixChains(1)).depth == 8);
  BOOST_TEST(Count(MatrixChains(4)).matrix == 8);
}

BOOST_AUTO_TEST_CASE(separation_and_contraction) {
  BOOST_TEST(ToText(Separated(Sequential(3))) == "(((+0 + 0) + 1) + 2)");
  BOOST_TEST(ToText(Contracted(Pairwise(4))) == "(F[0;1] + F[2;3])");
  BOOST_TEST(ToText(Contracted(KeyDot())) == ToText(KeyDot()));
  BOOST_TEST(ToText(Separated(Norm128())) == ToText(Norm128()));
}

BOOST_AUTO_TEST_CASE(comparison_ignores_operand_order_and_names_the_first_difference) {
  BOOST_TEST(!FirstDifference(KeyDot(), KeyDot()).has_value());
  Builder builder;
  const int one = builder.Leaf(1), zero = builder.Leaf(0);
  const Tree swapped = builder.Finish("swapped", 2, builder.Add(one, zero));
  BOOST_TEST(!FirstDifference(swapped, Pairwise(2)).has_value());
  const auto difference = FirstDifference(Pairwise(4), Butterfly(4, Distance::kDescending));
  BOOST_REQUIRE(difference.has_value());
  BOOST_TEST(difference->path == "root.left.right");
  BOOST_TEST(difference->a == "1");
  BOOST_TEST(difference->b == "2");
}

BOOST_AUTO_TEST_CASE(graphviz_names_every_node) {
  const std::string dot = ToDot(Convolution(ConvOrder::kOldestFirst));
  BOOST_TEST(dot.find("digraph \"convolution\"") == 0u);
  BOOST_TEST(dot.find("F[0,1,2,3]") != std::string::npos);
  BOOST_TEST(dot.find("n0 -> n1") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace samebits::order
