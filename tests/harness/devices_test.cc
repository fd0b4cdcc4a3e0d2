// Devices that share the ranks of a case, with the program itself; the executor pretends them.
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/harness/command.h"

using nlohmann::json;
using samebits::testing::CommandResult;
using samebits::testing::RunSamebits;
using samebits::testing::TemporaryFolder;

namespace {

/// Cases of 8 ranks, of one of 8, and of 16.
constexpr char kMatrix[] =
    "kernel = \"shared_expert\"\n"
    "[[block]]\naxes = { tp = 8, rank = [-1, 3], width = 512, intermediate = 512, grid = 10 }\n"
    "[[block]]\naxes = { tp = 16, width = 1024, intermediate = 1024, grid = 20 }\n";

struct Fixture {
  TemporaryFolder folder;

  Fixture() {
    samebits::testing::WriteFile(folder.path() / "m.toml", kMatrix);
    Run("generate shared_expert --matrix m.toml -o m.h5 --store hashes");
  }
  CommandResult Try(const std::string& arguments) { return RunSamebits(arguments, folder.path()); }
  std::string Run(const std::string& arguments) {
    const CommandResult result = Try(arguments);
    BOOST_REQUIRE_MESSAGE(result.status == 0, arguments << ": " << result.err << result.out);
    return result.out;
  }
  json RunJson(const std::string& arguments) { return json::parse(Run(arguments + " --json")); }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(devices, Fixture)

/// One rank alone pushes to mailboxes on every device.
BOOST_AUTO_TEST_CASE(as_many_as_a_case_has_ranks) {
  const std::string verify = "verify m.h5 --backend simt --devices ";
  BOOST_TEST(RunJson(verify + "8").at("summary").at("identical") == 3);
  BOOST_TEST(RunJson(verify + "16 --filter tp=16").at("summary").at("identical") == 1);
  const CommandResult refused = Try(verify + "9 --record seen.h5 --evidence e.h5");
  BOOST_TEST(refused.status == 2);
  const std::string id = RunJson("inspect m.h5").at("cases")[0].at("id");
  BOOST_TEST(refused.err ==
             "samebits: --devices: m.h5: case " + id + " has tp=8: expected at most 8, got 9\n");
  BOOST_TEST(refused.out == "");
  for (const char* file : {"seen.h5", "e.h5"}) {
    BOOST_TEST(!std::filesystem::exists(folder.path() / file), file);
  }
}

BOOST_AUTO_TEST_CASE(what_was_seen_says_how_many) {
  const std::string verify = "verify m.h5 --backend simt --filter rank=3 --force --record seen.h5";
  Run(verify + " --devices 2");
  BOOST_TEST(RunJson("inspect seen.h5").at("device").at("count") == 2);
  BOOST_TEST(Run("inspect seen.h5").find("observed on 2 x CPU, thread by thread (") !=
             std::string::npos);
  Run("check seen.h5");
  Run("compare m.h5 seen.h5");
  Run(verify);
  BOOST_TEST(RunJson("inspect seen.h5").at("device").at("count") == 1);
  BOOST_TEST(Run("inspect seen.h5").find("observed on CPU, thread by thread (") !=
             std::string::npos);
}

/// The executor and the model are one device each.
BOOST_AUTO_TEST_CASE(all_of_one_device_is_plain_verify) {
  Run("generate kda_decode -o k.h5 --config tokens=1,heads=1,requests=1");
  for (const std::string backend : {"simt", "model"}) {
    const std::string verify = "verify k.h5 --backend " + backend;
    BOOST_TEST(Run(verify + " --devices all") == Run(verify));
  }
  const std::string verify = "verify m.h5 --backend model";
  BOOST_TEST(Run(verify + " --devices all") == Run(verify));
}

BOOST_AUTO_TEST_SUITE_END()
