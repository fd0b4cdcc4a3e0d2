// A dataset of a contract that was broken in one small way, verified against the shipped contract:
// the first tap that differs must be the one that the choice says it touches first.
#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/harness/command.h"

using nlohmann::json;
using samebits::testing::CommandResult;
using samebits::testing::RunSamebits;
using samebits::testing::TemporaryFolder;

namespace {

constexpr const char* kConfig = "tokens=3,heads=1,requests=2,gate_mode=1";

json RunJson(const std::string& arguments, const TemporaryFolder& folder, int* status) {
  const CommandResult result = RunSamebits(arguments + " --json", folder.path());
  *status = result.status;
  BOOST_REQUIRE_MESSAGE(result.status <= 1, arguments + ": " + result.err);
  return json::parse(result.out);
}

/// The first tap that differs, "" if every bit is the same.
std::string FirstTap(const std::string& change, const std::string& style,
                     const TemporaryFolder& folder) {
  const std::string file = "broken.h5";
  int status = 0;
  RunJson("generate kda_decode -o " + file + " --force --taps --config " + kConfig + " --inputs " +
              style + " --set " + change,
          folder, &status);
  BOOST_REQUIRE(status == 0);
  const json report = RunJson("verify " + file + " --backend model --taps", folder, &status);
  BOOST_TEST(report.at("contract_differs") == true);
  const json& only = report.at("cases").at(0);
  BOOST_TEST(status == (only.at("verdict") == "identical" ? 0 : 1));
  return only.value("first_tensor", "");
}

}  // namespace

BOOST_AUTO_TEST_SUITE(contract)

BOOST_AUTO_TEST_CASE(every_broken_choice_is_reported_at_its_first_tap) {
  const TemporaryFolder folder;
  int status = 0;
  const json kernel = RunJson("list kda_decode", folder, &status).at("kernels").at(0);
  const std::string default_contract = kernel.at("default_contract");
  json defaults;
  for (const json& contract : kernel.at("contracts")) {
    if (contract.at("name") == default_contract) defaults = contract.at("choices");
  }
  int seen = 0;
  std::set<std::string> never_seen;
  for (const json& choice : kernel.at("choices")) {
    const std::string name = choice.at("name");
    for (const std::string value : choice.at("values")) {
      if (value == defaults.at(name)) continue;
      const std::string change = name + "=" + value;
      bool visible = false;
      for (const std::string style : {"realistic", "tiny", "specials", "wide"}) {
        const std::string tap = FirstTap(change, style, folder);
        if (tap.empty()) continue;
        visible = true;
        // A style may hide the change at its first tap; then a later style decides.
        if (tap != choice.at("first_tap")) continue;
        ++seen;
        visible = false;
        break;
      }
      BOOST_TEST(!visible, change << " was never first seen in " << choice.at("first_tap"));
      never_seen.insert(change);
    }
  }
  BOOST_TEST(seen >= 10);
}

BOOST_AUTO_TEST_SUITE_END()
