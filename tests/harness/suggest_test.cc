#include "harness/suggest.h"

#include <boost/test/unit_test.hpp>

using namespace samebits::harness;

BOOST_AUTO_TEST_SUITE(suggest)

BOOST_AUTO_TEST_CASE(distances) {
  BOOST_TEST(EditDistance("", "") == 0);
  BOOST_TEST(EditDistance("", "abc") == 3);
  BOOST_TEST(EditDistance("abc", "") == 3);
  BOOST_TEST(EditDistance("verify", "verify") == 0);
  BOOST_TEST(EditDistance("vrify", "verify") == 1);
  BOOST_TEST(EditDistance("evrify", "verify") == 1);  // neighbours swapped
  BOOST_TEST(EditDistance("kitten", "sitting") == 3);
}

BOOST_AUTO_TEST_CASE(nearest_is_the_first_of_equals) {
  const std::vector<std::string> names = {"fused", "separate", "fusee"};
  BOOST_TEST(Nearest("fuse", names) == "fused");
  BOOST_TEST(Nearest("seperate", names) == "separate");
  BOOST_TEST(Nearest("x", {}) == "");
}

BOOST_AUTO_TEST_CASE(a_part_of_a_name_is_nearer_than_another_short_name) {
  const std::vector<std::string> names = {"exp", "state_key_dot", "key_dot_tree", "Key-Dot.form"};
  BOOST_TEST(Nearest("keydot", names) == "key_dot_tree");
  BOOST_TEST(Nearest("KEYDOTF", names) == "Key-Dot.form");
  BOOST_TEST(Nearest("statekey", names) == "state_key_dot");
  BOOST_TEST(Nearest("dot", {names.data(), 2}) == "state_key_dot");  // inside
  BOOST_TEST(Nearest("ey", {names.data(), 2}) == "exp");             // too short to be a part
}

BOOST_AUTO_TEST_CASE(message_is_one_line) {
  const std::vector<std::string> names = {"tokens", "heads"};
  BOOST_TEST(UnknownName("axis", "token", names) ==
             "unknown axis \"token\": did you mean \"tokens\"? (one of tokens, heads)");
}

BOOST_AUTO_TEST_SUITE_END()
