// Forms, the trees that they make, and the family of all of them.
#include "model/order/family.h"

#include <array>
#include <boost/test/unit_test.hpp>
#include <set>
#include <stdexcept>
#include <string>

#include "model/order/builders.h"
#include "model/order/levels.h"

namespace samebits::order {
namespace {

Join Butterfly(Digit digit, std::vector<int> distances) {
  return {Join::Kind::kButterfly, digit, std::move(distances)};
}

/// The family holds the operations of the tree, and calls them so.
void CheckNamed(const Tree& tree, bool products, const std::string& words) {
  const std::optional<Form> form = FormOf(tree, Terms::Of(tree, products, false));
  BOOST_REQUIRE(form.has_value());
  BOOST_TEST(Words(*form, products) == words);
}

int CountOf(const Terms& terms) {
  int count = 0;
  ForEachForm(terms, [&](const Form&, const Tree&) { return ++count > 0; });
  return count;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(family)

BOOST_AUTO_TEST_CASE(a_form_is_its_tree) {
  const Form form = {
      .products = Products::kFused, .lane = {{2, 4}}, .joins = {Butterfly({4, 1}, {1, 2})}};
  BOOST_TEST(ToText(MakeTree(form, 8)) == "((F[0,4] + F[1,5]) + (F[2,6] + F[3,7]))");
}

BOOST_AUTO_TEST_CASE(a_form_numbers_each_term_once) {
  const Form twice = {.lane = {{2, 1}}, .joins = {Butterfly({4, 1}, {2, 1})}};
  BOOST_CHECK_THROW(MakeTree(twice, 8), std::invalid_argument);
  const Form few = {.lane = {{2, 1}}};
  BOOST_CHECK_THROW(MakeTree(few, 8), std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(a_start_joins_first_or_last) {
  Form form = {.products = Products::kFused, .lane = {{4, 1}}, .start = Form::Start::kFirst};
  BOOST_TEST(ToText(MakeTree(form, 4)) == "F[0,1,2,3;start]");
  form.start = Form::Start::kLast;
  form.from_zero = true;
  BOOST_TEST(ToText(MakeTree(form, 4)) == "(+0 + F[0,1,2,3])");
}

BOOST_AUTO_TEST_CASE(trees_of_the_specifications_are_named) {
  CheckNamed(order::Butterfly(32, Distance::kDescending), false,
             "a lane per term; 32 lanes by butterfly 16, 8, 4, 2, 1");
  CheckNamed(Sequential(128), true, "all 128 terms in sequence, fused");
  CheckNamed(Pairwise(128), true,
             "a lane per term, products rounded; 128 lanes by butterfly 1, 2, 4, 8, 16, 32, 64");
  CheckNamed(Triton1Warp(), true,
             "4 consecutive terms per lane, fused onto the second product; 32 lanes by butterfly "
             "16, 8, 4, 2, 1");
  CheckNamed(SkinnyGemm(), true,
             "8 consecutive terms per lane, fused; 16 lanes by butterfly 8, 4, 2, 1");
  CheckNamed(KeyDot(), true,
             "4 terms 32 apart per lane, fused; 32 lanes by butterfly 2, 1, 16, 8, 4");
  CheckNamed(Norm128(), false,
             "a lane per term; 32 lanes by butterfly 16, 8, 4, 2, 1; 4 groups by butterfly 2, 1");
  CheckNamed(Convolution(ConvOrder::kNewestFirst), true,
             "all 4 terms in sequence, the last first, fused");
}

BOOST_AUTO_TEST_CASE(the_same_operations_have_one_fingerprint) {
  Builder b;
  const int right = b.Leaf(1);
  const Tree swapped = b.Finish("", 2, b.Add(right, b.Leaf(0)));
  BOOST_TEST(Fingerprint(swapped) == Fingerprint(Pairwise(2)));
  BOOST_TEST(Fingerprint(Pairwise(4)) != Fingerprint(order::Butterfly(4, Distance::kDescending)));
}

BOOST_AUTO_TEST_CASE(a_chain_from_zero_starts_from_its_first_product) {
  Builder b, c;
  const Tree from_zero = b.Finish("", 2, b.Chain(std::array{1, 0}));
  const Tree from_product = c.Finish("", 2, c.Chain(std::array{0}, c.Leaf(1)));
  BOOST_TEST(Fingerprint(from_zero) == Fingerprint(from_product));
  BOOST_TEST(Fingerprint(from_zero) != Fingerprint(Sequential(2)));
}

/// Each tree once; of terms in any order all of them.
BOOST_AUTO_TEST_CASE(the_family_holds_each_tree_once) {
  std::set<std::string> texts;
  int count = 0;
  const Terms terms = {.count = 8, .products = true};
  ForEachForm(terms, [&](const Form&, const Tree& tree) {
    ++count;
    texts.insert(ToText(tree));
    return true;
  });
  BOOST_TEST(count == static_cast<int>(texts.size()));
  for (const int d : {1, 2, 4}) {
    std::vector<int> distances = {d, d == 1 ? 4 : 1, d == 2 ? 4 : 2};
    const Form form = {.joins = {Butterfly({8, 1}, distances)}};
    BOOST_TEST(texts.contains(ToText(MakeTree(form, 8))));
  }
  BOOST_TEST(CountOf({.count = 3}) == 3);  // which of the three joins last
  BOOST_TEST(CountOf({.count = 128, .products = true}) > 5000);
}

BOOST_AUTO_TEST_CASE(numbers_that_are_no_power_of_two) {
  const Form groups = {.lane = {{7, 1}}, .joins = {{Join::Kind::kAscending, {8, 7}, {}}}};
  const Tree tree = MakeTree(groups, 56);
  CheckNamed(tree, false, "7 consecutive terms per lane; 8 lanes in sequence");
}

/// 2^(depth) places would be needed for it.
BOOST_AUTO_TEST_CASE(a_long_sequence_of_additions_has_no_levels) {
  BOOST_TEST(!Levels::Of(Separated(Sequential(64))).has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace samebits::order
