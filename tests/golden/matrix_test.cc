#include "golden/matrix.h"

#include <boost/test/unit_test.hpp>

#include "tests/golden/fake_kernel.h"

namespace samebits::golden {
namespace {

using testing::Fake;

std::vector<CaseSpec> Parse(const std::string& text, const MatrixOverrides& overrides = {}) {
  return ParseMatrix("kernel = \"fake\"\n" + text, "m.toml", Fake(), overrides);
}

/// "rows columns layout style seed" of every case.
std::vector<std::string> Lines(const std::vector<CaseSpec>& cases) {
  std::vector<std::string> lines;
  for (const CaseSpec& c : cases) {
    lines.push_back(c.config.at("rows") + " " + c.config.at("columns") + " " +
                    c.config.at("layout") + " " + c.style + " " + std::to_string(c.seed));
  }
  return lines;
}

std::string Error(const std::string& text) {
  try {
    Parse(text);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "none";
}

void CheckLines(const std::vector<CaseSpec>& cases, const std::vector<std::string>& expected) {
  const std::vector<std::string> lines = Lines(cases);
  BOOST_TEST(lines == expected, boost::test_tools::per_element());
}

}  // namespace

BOOST_AUTO_TEST_SUITE(matrix)

BOOST_AUTO_TEST_CASE(axes_are_crossed_in_order_and_duplicates_dropped) {
  const std::string text = R"(
    seed = 5
    styles = ["realistic", "tiny"]
    [[block]]
    axes = {rows = [1, 2], columns = 7}
    [[block]]
    axes = {rows = [2, 4], columns = 7}
    styles = "tiny"
  )";
  CheckLines(Parse(text), {"1 7 dense realistic 5", "1 7 dense tiny 5", "2 7 dense realistic 5",
                           "2 7 dense tiny 5", "4 7 dense tiny 5"});
  CheckLines(Parse(text, {"wide", 9}),
             {"1 7 dense wide 9", "2 7 dense wide 9", "4 7 dense wide 9"});
}

BOOST_AUTO_TEST_CASE(seeds_step_with_the_configuration) {
  CheckLines(Parse(R"(
    seed = 5
    seed_step = 10
    styles = ["realistic", "tiny"]
    [[block]]
    axes = {rows = [1, 2]}
    [[block]]
    axes = {rows = [2, 4]}
    styles = ["wide"]
  )"),
             {"1 5 dense realistic 5", "1 5 dense tiny 5", "2 5 dense realistic 15",
              "2 5 dense tiny 15", "2 5 dense wide 15", "4 5 dense wide 25"});
}

BOOST_AUTO_TEST_CASE(tables_include_and_exclude) {
  CheckLines(Parse(R"(
    [[block]]
    axes = {rows = [1, 2], columns = 7, layout = ["dense", "padded"]}
    [[block.exclude]]
    rows = [2, 3]
    layout = "padded"
    [[block.include]]
    rows = 8
  )"),
             {"1 7 dense realistic 0", "2 7 dense realistic 0", "1 7 padded realistic 0",
              "8 7 dense realistic 0"});
}

BOOST_AUTO_TEST_CASE(illegal_combinations_are_dropped_only_on_request) {
  const std::string axes = "axes = {rows = [2, 3], layout = [\"padded\"]}\n";
  CheckLines(Parse("[[block]]\nskip_illegal = true\n" + axes), {"2 5 padded realistic 0"});
  BOOST_TEST(Error("[[block]]\nname = \"strides\"\n" + axes) ==
             "m.toml: block strides: layout: padded needs an even number of rows");
  BOOST_TEST(Error("[[block]]\nskip_illegal = true\naxes = {rows = 3, layout = \"padded\"}\n") ==
             "m.toml: block number 1: expected at least one legal configuration; "
             "dropped: layout: padded needs an even number of rows");
}

BOOST_AUTO_TEST_CASE(errors_name_file_block_and_key) {
  BOOST_TEST(Error("[[block]]\naxes = {lines = 2}\n") ==
             "m.toml: block number 1: axes: lines: not an axis of fake");
  BOOST_TEST(Error("[[block]]\naxis = {rows = 2}\n")
                 .starts_with("m.toml: block number 1: axis: unknown; expected one of name, "));
  BOOST_TEST(Error("seed = -1\n") == "m.toml: seed: expected a non-negative integer");
  BOOST_TEST(Error("seed = 1\n") == "m.toml: block: expected [[block]] tables");
  BOOST_TEST(Error("styles = [\"odd\"]\n[[block]]\naxes = {rows = 2}\n")
                 .starts_with("m.toml: styles: input style \"odd\": expected realistic"));
  BOOST_TEST(Error("= 3").starts_with("m.toml: line 2: "));
  BOOST_TEST(Error("[[block]]\naxes = {rows = []}\n") ==
             "m.toml: block number 1: axes: rows: expected at least one value");
  BOOST_TEST(Error("[[block]]\naxes = {rows = true}\n") ==
             "m.toml: block number 1: axes: rows: expected a string or a number");
  BOOST_CHECK_THROW(ParseMatrix("kernel = \"other\"", "m.toml", Fake()), ConfigError);
  BOOST_CHECK_THROW(LoadMatrix("/nonexistent/m.toml", Fake()), ConfigError);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace samebits::golden
