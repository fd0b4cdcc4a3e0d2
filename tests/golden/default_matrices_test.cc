// The matrices that the project ships, with the kernels that they are for.
#include <boost/test/unit_test.hpp>
#include <map>
#include <set>

#include "golden/matrix.h"
#include "model/kernel.h"

namespace samebits::golden {
namespace {

struct Coverage {
  size_t configurations = 0;
  std::map<std::string, std::set<std::string>> values;  // per axis
  std::set<std::string> styles;
};

Coverage Covered(const std::vector<CaseSpec>& cases) {
  Coverage covered;
  std::set<Settings> configurations;
  for (const CaseSpec& spec : cases) {
    configurations.insert(spec.config);
    covered.styles.insert(spec.style);
    for (const auto& [axis, value] : spec.config) covered.values[axis].insert(value);
  }
  covered.configurations = configurations.size();
  return covered;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(default_matrices)

BOOST_AUTO_TEST_CASE(kda_decode_covers_every_axis) {
  const Kernel& kernel = *FindKernel("kda_decode");
  for (const char* path :
       {"data/matrices/kda_decode.toml", "data/matrices/kda_decode_small.toml"}) {
    const Coverage covered = Covered(LoadMatrix(path, kernel));
    for (const Axis& axis : kernel.axes()) {
      const std::set<std::string>& values = covered.values.at(axis.name);
      BOOST_TEST(values.size() > 1u, path << ": " << axis.name << " never varies");
      if (std::string(path) != "data/matrices/kda_decode.toml") continue;
      for (const std::string& word : axis.words) {
        BOOST_TEST(values.contains(word), path << ": " << axis.name << " is never " << word);
      }
    }
    BOOST_TEST(covered.styles.size() == 6u);
  }
}

BOOST_AUTO_TEST_CASE(kda_decode_sizes) {
  const Kernel& kernel = *FindKernel("kda_decode");
  const std::vector<CaseSpec> cases = LoadMatrix("data/matrices/kda_decode.toml", kernel);
  const Coverage covered = Covered(cases);
  BOOST_TEST(covered.configurations > 450u);
  BOOST_TEST(covered.configurations < 550u);
  BOOST_TEST(cases.size() > 5 * covered.configurations);
  size_t production = 0;
  for (const CaseSpec& spec : cases) production += spec.config.at("heads") == "12";
  BOOST_TEST(production == 9u);
  const size_t small = LoadMatrix("data/matrices/kda_decode_small.toml", kernel).size();
  BOOST_TEST(small > 30u);
  BOOST_TEST(small < 50u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace samebits::golden
