// What the page of `report` says: causes, and data that cannot break out of the page.
#include <boost/test/unit_test.hpp>

#include "harness/report/heat_maps.h"
#include "harness/report/page.h"

using namespace samebits;
using namespace samebits::harness;

namespace {

/// A divergent case whose first difference is in taps/`tensor`, in bit `bit`.
Json Case(const std::string& id, const std::string& tensor, int bit) {
  const Json element = {{"index", 0},
                        {"coordinates", Json::object()},
                        {"expected", {{"bits", "0x3f800000"}, {"value", 1.0}}},
                        {"actual", {{"bits", "0x3f800001"}, {"value", 1.0}}},
                        {"change", "value"},
                        {"ulp", 1}};
  const Json diff = {{"tensor", tensor},
                     {"group", "taps"},
                     {"dtype", "f32"},
                     {"elements", 4},
                     {"differing", 1},
                     {"first", element},
                     {"worst", element},
                     {"changes", {{"value", 1}}},
                     {"ulp_histogram", {{"1", 1}}},
                     {"flipped_bits", {{std::to_string(bit), 1}}},
                     {"classes", Json::array()}};
  return {{"id", id},
          {"verdict", "divergent"},
          {"config", {{"tokens", "4"}}},
          {"inputs_style", "realistic"},
          {"seed", 0},
          {"notes", Json::array()},
          {"differences", Json::array({diff})},
          {"hash_differences", Json::array()},
          {"illegal_writes", Json::array()},
          {"variations", Json::array()}};
}

PageResults Results(std::vector<Json> cases) {
  PageResults results;
  results.main = Json{{"verb", "compare"},
                      {"kernel", "none"},
                      {"cases", std::move(cases)},
                      {"summary", {{"divergent", 3}}}};
  return results;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(report_data)

BOOST_AUTO_TEST_CASE(cases_of_one_cause_are_one_group) {
  const PageResults results = Results(
      {Case("a", "dot", 31), Case("b", "dot", 0), Case("c", "dot", 3), Case("d", "decay", 0)});
  const Grouping grouping = GroupCases(results);
  BOOST_REQUIRE(grouping.causes.size() == 3u);  // other kinds of bits are another cause
  BOOST_TEST(grouping.causes[0].first == "taps/dot");
  BOOST_TEST(grouping.causes[0].cases == (std::vector<size_t>{1, 2}),
             boost::test_tools::per_element());
  BOOST_TEST(grouping.cause_of == (std::vector<int>{1, 0, 0, 2}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(an_explanation_names_the_cause) {
  PageResults results = Results({Case("a", "dot", 31), Case("b", "dot", 0), Case("c", "dot", 1)});
  const auto explained = [](const std::string& id, const std::string& sentence) {
    return Json{{"case", id}, {"findings", Json::array({Json{{"sentence", sentence}}})}};
  };
  results.explain.push_back(
      {{"verb", "explain"},
       {"cases", Json::array({explained("a", "Another tree."), explained("b", "Another tree."),
                              explained("c", "A stale tensor.")})}});
  const Grouping grouping = GroupCases(results);
  BOOST_REQUIRE(grouping.causes.size() == 2u);
  BOOST_TEST(grouping.causes[0].cases.size() == 2u);
  BOOST_TEST(grouping.causes[0].explanation.at(0) == "Another tree.");
  BOOST_TEST(CountCauses(grouping) == 2u);
}

BOOST_AUTO_TEST_CASE(data_stay_data) {
  const PageResults results = Results({Case("</script><b>", "dot", 0)});
  const Json data = MakePageData(results, GroupCases(results), nullptr, "<&>");
  const std::string page = MakePage(data);
  BOOST_TEST(page == MakePage(MakePageData(results, GroupCases(results), nullptr, "<&>")));
  BOOST_TEST(page.find("</script><b>") == std::string::npos);
  BOOST_TEST(page.find("<title>&lt;&amp;>") != std::string::npos);
  BOOST_TEST(page.find("{{") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(base64_of_every_length) {
  const auto text = [](std::string_view bytes) {
    return Base64(std::as_bytes(std::span(bytes.data(), bytes.size())));
  };
  BOOST_TEST(text("") == "");
  BOOST_TEST(text("f") == "Zg==");
  BOOST_TEST(text("fo") == "Zm8=");
  BOOST_TEST(text("foo") == "Zm9v");
  BOOST_TEST(text("foob") == "Zm9vYg==");
}

BOOST_AUTO_TEST_SUITE_END()
