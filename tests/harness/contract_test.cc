// A dataset of a contract that was broken in one small way, verified against the shipped contract:
// the first tap that differs must be the one that the choice says it touches first.
#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/harness/command.h"

using nlohmann::json;
using samebits::testing::CommandResult;
using samebits::testing::RunSamebits;
using samebits::testing::TemporaryFolder;

namespace {

constexpr const char* kConfig = "tokens=3,heads=1,requests=2,gate_mode=1,record=1";

json RunJson(const std::string& arguments, const TemporaryFolder& folder, int* status) {
  const CommandResult result = RunSamebits(arguments + " --json", folder.path());
  *status = result.status;
  BOOST_REQUIRE_MESSAGE(result.status <= 1, arguments + ": " + result.err);
  return json::parse(result.out);
}

/// The first tap that differs, "" if every bit is the same.
std::string FirstTap(const std::string& change, const std::string& base, const std::string& style,
                     const TemporaryFolder& folder) {
  const std::string file = "broken.h5";
  int status = 0;
  RunJson("generate kda_decode -o " + file + " --force --taps --config " + kConfig + " --inputs " +
              style + " --set " + change + base,
          folder, &status);
  BOOST_REQUIRE(status == 0);
  const json report = RunJson("verify " + file + " --backend model --taps" + base, folder, &status);
  BOOST_TEST(report.at("contract_differs") == true);
  const json& only = report.at("cases").at(0);
  BOOST_TEST(status == (only.at("verdict") == "identical" ? 0 : 1));
  return only.value("first_tensor", "");
}

/// q, k and v are convolved side by side; a rare change can miss the first of them.
bool IsFirst(const std::string& tap, const std::string& first_tap) {
  return tap == first_tap || (first_tap == "conv.q" && (tap == "conv.k" || tap == "conv.v"));
}

/// First taps of the input styles where the change shows, up to one where it is `first_tap`: a
/// style can hide a change from the very first tap that it touches.
std::vector<std::string> FirstTaps(const std::string& change, const std::string& first_tap,
                                   const TemporaryFolder& folder) {
  // Of silu's changes by one float32 ulp, its rounding to bf16 shows one in 2^15.
  const bool hidden = first_tap == "conv.q" && !change.starts_with("silu_rounding");
  const std::string base = hidden ? " --set silu_rounding=none" : "";
  std::vector<std::string> taps;
  for (const std::string style : {"realistic", "tiny", "specials", "wide"}) {
    const std::string tap = FirstTap(change, base, style, folder);
    if (!tap.empty()) taps.push_back(tap);
    if (IsFirst(tap, first_tap)) break;
  }
  return taps;
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
  for (const json& choice : kernel.at("choices")) {
    const std::string name = choice.at("name"), first_tap = choice.at("first_tap");
    for (const std::string value : choice.at("values")) {
      if (value == defaults.at(name)) continue;
      const std::string change = name + "=" + value;
      const std::vector<std::string> taps = FirstTaps(change, first_tap, folder);
      const bool at_first_tap = !taps.empty() && IsFirst(taps.back(), first_tap);
      seen += at_first_tap;
      if (taps.empty()) BOOST_TEST_MESSAGE(change << " changes no bit of these inputs");
      BOOST_TEST((taps.empty() || at_first_tap),
                 change << " shows, but never first in " << first_tap << ": " << taps.back());
    }
  }
  BOOST_TEST(seen >= 10);
}

BOOST_AUTO_TEST_SUITE_END()
