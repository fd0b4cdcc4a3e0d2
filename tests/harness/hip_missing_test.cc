// Without a HIP runtime, or with one that has no device: one line that says so, exit status 3.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/harness/command.h"

using namespace samebits;
using samebits::testing::CommandResult;
using samebits::testing::RunSamebits;
using samebits::testing::TemporaryFolder;

namespace {

/// What `doctor` says is missing; "" if the backend runs.
std::string Reason(const TemporaryFolder& folder) {
  const CommandResult doctor = RunSamebits("doctor --json", folder.path());
  BOOST_REQUIRE(doctor.status == 0);
  const auto state = nlohmann::json::parse(doctor.out);
  for (const auto& backend : state.at("backends")) {
    if (backend.at("name") == "hip") return backend.at("reason");
  }
  return "no backend hip";
}

void ExpectOneLine(const TemporaryFolder& folder, const std::string& reason) {
  const std::string make = "generate kda_decode --config heads=1,requests=1 -o a.h5 --force";
  BOOST_REQUIRE(RunSamebits(make, folder.path()).status == 0);
  const CommandResult result = RunSamebits("verify a.h5 --backend hip", folder.path());
  BOOST_TEST(result.status == 3);
  BOOST_TEST(result.out.empty(), result.out);
  BOOST_TEST(std::ranges::count(result.err, '\n') == 1, result.err);
  BOOST_TEST(result.err.find("backend hip cannot run here: " + reason) != std::string::npos,
             result.err);
}

/// The program finds its runtime in `library_folder` first.
void UseRuntime(const char* library_folder) { setenv("LD_LIBRARY_PATH", library_folder, 1); }

bool BuiltWithHip(const std::string& reason) {
  return reason.find("built without") == std::string::npos &&
         reason.find("SAMEBITS_HIP") == std::string::npos;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(hip_missing)

BOOST_AUTO_TEST_CASE(what_this_machine_lacks) {
  const TemporaryFolder folder;
  const std::string reason = Reason(folder);
  BOOST_TEST_MESSAGE("hip: " << (reason.empty() ? "runs here" : reason));
  if (!reason.empty()) ExpectOneLine(folder, reason);
}

BOOST_AUTO_TEST_CASE(a_runtime_without_a_device) {
  const TemporaryFolder folder;
  if (!BuiltWithHip(Reason(folder))) return;
  UseRuntime(SAMEBITS_HIP_WITHOUT_DEVICE);
  BOOST_TEST(Reason(folder) == "no AMD device here");
  ExpectOneLine(folder, "no AMD device here");
}

BOOST_AUTO_TEST_CASE(a_runtime_without_its_functions) {
  const TemporaryFolder folder;
  if (!BuiltWithHip(Reason(folder))) return;
  UseRuntime(SAMEBITS_HIP_WITHOUT_FUNCTIONS);
  ExpectOneLine(folder, "libamdhip64 has no hipGetDeviceCount");
}

BOOST_AUTO_TEST_SUITE_END()
