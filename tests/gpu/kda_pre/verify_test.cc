// The command line verifies kda_pre on the executor: a selection of the small matrix under eight
// schedules, and what gfx942 with its 64 KB of LDS takes and refuses. All cases under all
// schedules: samebits verify FILE --backend simt --taps --repeat 8.
#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/harness/command.h"

using nlohmann::json;
using samebits::testing::CommandResult;
using samebits::testing::RunSamebits;
using samebits::testing::TemporaryFolder;

namespace {

constexpr int kSchedules = 8;

/// The JSON of a command that must end with `status`.
json Run(const std::string& arguments, const TemporaryFolder& folder, int status = 0) {
  const CommandResult result = RunSamebits(arguments + " --json", folder.path());
  BOOST_REQUIRE_MESSAGE(result.status == status, arguments + ": " + result.out + result.err);
  return json::parse(result.out);
}

void GenerateSmallMatrix(const TemporaryFolder& folder) {
  const std::string matrix = std::filesystem::current_path() / "data/matrices/kda_pre_small.toml";
  Run("generate kda_pre --taps --store hashes -o small.h5 --matrix " + matrix, folder);
  Run("check small.h5", folder);
}

/// Of the file's cases.
std::vector<std::string> Ids(const TemporaryFolder& folder) {
  std::vector<std::string> ids;
  const json seen = Run("inspect small.h5", folder);
  for (const json& entry : seen.at("cases")) ids.push_back(entry.at("id"));
  return ids;
}

const std::string kVerify = " --backend simt --taps ";

}  // namespace

BOOST_AUTO_TEST_SUITE(kda_pre_verify)

BOOST_AUTO_TEST_CASE(schedules) {
  const TemporaryFolder folder;
  GenerateSmallMatrix(folder);
  const json result = Run("verify small.h5" + kVerify + "--repeat " + std::to_string(kSchedules) +
                              " --case " + Ids(folder).front(),
                          folder);
  BOOST_TEST(result.at("summary").at("identical") == 1);
  BOOST_TEST(result.at("cases").at(0).at("runs") == kSchedules);
}

BOOST_AUTO_TEST_CASE(cases) {
  const TemporaryFolder folder;
  GenerateSmallMatrix(folder);
  const std::vector<std::string> ids = Ids(folder);
  BOOST_TEST(ids.size() == 7u);
  for (size_t i = 1; i < ids.size(); ++i) {  // the first one: schedules
    const std::string schedule = std::to_string(i % kSchedules);
    const json result =
        Run("verify small.h5" + kVerify + "--schedule " + schedule + " --case " + ids[i], folder);
    BOOST_TEST(result.at("summary").at("identical") == 1, ids[i]);
  }
}

// 64 KB of LDS: ten rows with x in windows run; sixteen rows of nine sources do not.
BOOST_AUTO_TEST_CASE(gfx942) {
  const TemporaryFolder folder;
  const std::string make = "generate kda_pre --contract kda_pre.gfx942 --taps --store hashes -o ";
  Run(make + "fits.h5 --config requests=2,tokens=5,nblocks=8,delta=none,state_len=7", folder);
  const json fits = Run("verify fits.h5 --schedule 3" + kVerify, folder);
  BOOST_TEST(fits.at("backend_contract") == "kda_pre.gfx942");
  BOOST_TEST(fits.at("summary").at("identical") == 1);

  Run(make + "large.h5 --config requests=2,tokens=8,nblocks=8,state_len=10", folder);
  const json large = Run("verify large.h5" + kVerify, folder, 77);
  const std::string reason = large.at("cases").at(0).at("skipped");
  BOOST_TEST(reason.find("16 token rows of 9 sources need 81920 bytes of LDS, gfx942 has 65536") !=
                 std::string::npos,
             reason);
}

BOOST_AUTO_TEST_SUITE_END()
