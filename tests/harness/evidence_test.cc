// From a matrix to evidence with the program itself.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "golden/evidence_file.h"
#include "golden/xxh3.h"
#include "harness/evidence_recorder.h"
#include "model/kernel.h"
#include "tests/harness/command.h"

using namespace samebits;
using nlohmann::json;
using samebits::testing::CommandResult;
using samebits::testing::RunSamebits;
using samebits::testing::TemporaryFolder;

namespace {

struct Fixture {
  TemporaryFolder folder;

  Fixture() {
    testing::WriteFile(folder.path() / "m.toml",
                       "# kept as it is\nkernel = \"kda_decode\"\nstyles = [\"wide\", \"tiny\"]\n"
                       "[[block]]\naxes = { tokens = [1, 3], heads = [1], requests = [1] }\n");
    Run("generate kda_decode --matrix m.toml -o golden.h5 --store hashes --taps", 0);
  }
  json Run(const std::string& arguments, int status) {
    const CommandResult result = RunSamebits(arguments + " --json", folder.path());
    BOOST_REQUIRE_MESSAGE(result.status == status,
                          arguments << ": " << result.status << " " << result.err << result.out);
    return json::parse(result.out);
  }
  std::string Path(const std::string& name) const { return (folder.path() / name).string(); }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(evidence, Fixture)

BOOST_AUTO_TEST_CASE(every_backend_that_can_run_here_gives_the_same_evidence) {
  std::optional<golden::Evidence> first;
  for (const json& known : Run("doctor", 0).at("backends")) {
    const std::vector<std::string> kernels = known.at("kernels");
    if (std::ranges::find(kernels, "kda_decode") == kernels.end()) continue;
    if (known.at("available") != true) continue;
    const std::string backend = known.at("name");
    const std::string file = backend + ".h5";
    Run("verify golden.h5 --taps --repeat 2 --backend " + backend + " --evidence " + file, 0);
    const json checked = Run("check " + file + " --recompute", 0);
    BOOST_TEST(checked.at("whole") == true);
    BOOST_TEST(checked.at("cases") == 4);
    BOOST_TEST(checked.at("tensors").get<int>() > 4 * 10);
    const json inspected = Run("inspect " + file, 0);
    BOOST_TEST(inspected.at("identical") == 4);
    BOOST_TEST(inspected.at("matrix_cases") == 4);
    BOOST_TEST(inspected.at("hashes") == checked.at("tensors"));
    const golden::Evidence evidence = golden::ReadEvidence(Path(file));
    BOOST_TEST(evidence.info.repeat == 2);
    BOOST_TEST(evidence.info.matrix == testing::ReadFile(Path("m.toml")));
    if (!first) first = evidence;
    BOOST_TEST_REQUIRE(evidence.cases.size() == first->cases.size());
    BOOST_TEST((evidence.tensors == first->tensors));
    for (size_t c = 0; c < evidence.cases.size(); ++c) {
      BOOST_TEST(evidence.cases[c].id == first->cases[c].id);
      BOOST_TEST((evidence.cases[c].hashes == first->cases[c].hashes));
    }
  }
}

BOOST_AUTO_TEST_CASE(the_same_run_gives_the_same_bytes) {
  Run("verify golden.h5 --backend model --evidence a.h5", 0);
  Run("verify golden.h5 --backend model --evidence b.h5 --threads 1", 0);
  BOOST_TEST((testing::ReadFile(Path("a.h5")) == testing::ReadFile(Path("b.h5"))));
}

BOOST_AUTO_TEST_CASE(a_divergent_run_is_recorded_as_observed) {
  Run("verify golden.h5 --backend model --taps --evidence e.h5 --set "
      "matrix_unit=reference.exact_rn",
      1);
  Run("check e.h5", 0);
  const json inspected = Run("inspect e.h5", 0);
  BOOST_TEST(inspected.at("divergent").get<int>() > 0);
  BOOST_TEST(inspected.at("contract_hash") == Run("inspect golden.h5", 0).at("contract_hash"));
  const json checked = Run("check e.h5 --recompute", 1);
  BOOST_TEST(checked.at("findings").size() >= inspected.at("divergent").get<size_t>());
  BOOST_TEST(checked.at("findings")[0].at("kind") == "result");
}

BOOST_AUTO_TEST_CASE(some_cases_are_evidence_too) {
  Run("verify golden.h5 --backend model --filter tokens=3 --evidence e.h5", 0);
  const json inspected = Run("inspect e.h5", 0);
  BOOST_TEST(inspected.at("cases") == 2);
  BOOST_TEST(inspected.at("matrix_cases") == 4);
  BOOST_TEST(Run("check e.h5 --recompute", 0).at("whole") == true);
}

BOOST_AUTO_TEST_CASE(other_inputs_than_those_of_the_matrix_are_refused) {
  for (const std::string change : {"--seed 5", "--inputs wide"}) {
    Run("generate kda_decode --matrix m.toml -o changed.h5 --force " + change, 0);
    const CommandResult result =
        RunSamebits("verify changed.h5 --backend model --evidence e.h5", folder.path());
    BOOST_TEST(result.status == 2);
    BOOST_TEST(result.err.find("changed.h5: expected") != std::string::npos, result.err);
  }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(evidence_recorder, Fixture)

/// What the verifier hands over for a case whose bits vary; and a run that a failed launch ends.
BOOST_AUTO_TEST_CASE(the_last_launch_counts_and_an_ended_run_leaves_nothing) {
  const golden::Reader reader(Path("golden.h5"));
  const Kernel& kernel = *FindKernel("kda_decode");
  const harness::Target target = harness::OpenModel(kernel, reader.info().contract, 1);
  harness::VerifyOptions options;
  options.evidence = Path("e.h5");
  const TensorSpec spec = {"output", Role::kOutput, DType::kF32, {"x"}, {1}};
  Tensor first(spec), last(spec);
  last.view<uint32_t>()[0] = 1;
  harness::VerifiedCase verified;
  verified.report.id = reader.cases()[1].id;
  verified.report.variations.emplace_back();
  verified.observed.tensors.tensors = {first};
  verified.observed.launch = {"symbol", "hash"};
  verified.later = TensorSet{{last}};
  {
    harness::EvidenceRecorder recorder(options, reader, kernel, target);
    recorder.Finish();  // no case, no file
    recorder.Add(verified);
  }
  BOOST_TEST(!std::filesystem::exists(options.evidence));
  harness::EvidenceRecorder recorder(options, reader, kernel, target);
  recorder.Add(verified);
  verified.report.id = reader.cases()[0].id;
  verified.report.skipped = "why";
  recorder.Add(verified);
  recorder.Finish();
  const golden::Evidence evidence = golden::ReadEvidence(options.evidence);
  BOOST_TEST_REQUIRE(evidence.cases.size() == 1u);
  BOOST_TEST((evidence.cases[0].verdict == golden::Verdict::kVaries));
  BOOST_TEST(evidence.cases[0].hashes[0] == golden::HashHex(last));
}

BOOST_AUTO_TEST_SUITE_END()
