// What devices computed, held against the model of this build: every file of data/evidence, every
// case, every hash; of the production shapes a few cases.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <thread>
#include <vector>

#include "golden/check.h"
#include "golden/evidence_file.h"
#include "model/kernel.h"
#include "tests/golden/temporary_folder.h"

namespace samebits::golden {
namespace {

using testing::TemporaryFolder;

constexpr char kFolder[] = "data/evidence";

/// In alphabetical order. A folder without evidence proves nothing and fails.
std::vector<std::string> Files() {
  std::vector<std::string> files;
  BOOST_REQUIRE_MESSAGE(std::filesystem::is_directory(kFolder), kFolder << ": expected a folder");
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (entry.path().extension() == ".h5") files.push_back(entry.path().string());
  }
  BOOST_REQUIRE_MESSAGE(!files.empty(), kFolder << ": expected at least one file of evidence");
  std::sort(files.begin(), files.end());
  return files;
}

CheckOptions Recompute() {
  CheckOptions options;
  options.recompute = true;
  options.threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  return options;
}

/// A few cases from all over the file.
Evidence Thinned(Evidence evidence) {
  constexpr size_t kCases = 12;
  const size_t step = std::max<size_t>(1, evidence.cases.size() / kCases);
  std::vector<EvidenceCase> cases;
  for (size_t c = step / 2; c < evidence.cases.size(); c += step) {
    cases.push_back(evidence.cases[c]);
  }
  evidence.cases = std::move(cases);
  return evidence;
}

/// Its cases take the model minutes: some stand for all.
bool IsOfProduction(const std::string& file) { return file.ends_with("_production.h5"); }

}  // namespace

BOOST_AUTO_TEST_SUITE(evidence_replay)

BOOST_AUTO_TEST_CASE(the_model_computes_what_the_devices_computed) {
  const TemporaryFolder folder;
  for (const std::string& file : Files()) {
    std::string replayed = file;
    if (IsOfProduction(file)) {
      replayed = folder / "e.h5";
      WriteEvidence(replayed, Thinned(ReadEvidence(file)), true);
    }
    const CheckReport report = Check(replayed, FindKernel, Recompute());
    for (const Finding& finding : report.findings) {
      BOOST_ERROR(file << ": " << finding.place << ": " << finding.expected);
    }
    BOOST_TEST(report.cases > 0u, file << ": no cases");
    BOOST_TEST(report.tensors >= report.cases, file << ": cases without tensors");
    BOOST_TEST_MESSAGE(file << ": " << report.cases << " cases, " << report.tensors << " hashes");
  }
}

BOOST_AUTO_TEST_CASE(a_flipped_bit_in_a_sealed_copy_is_found_where_it_is) {
  const TemporaryFolder folder;
  for (const std::string& file : Files()) {
    if (IsOfProduction(file)) continue;
    Evidence changed = Thinned(ReadEvidence(file));
    const size_t c = changed.cases.size() / 2;
    std::vector<std::string>& hashes = changed.cases[c].hashes;
    size_t t = hashes.size();
    while (hashes[--t].empty()) continue;
    char& digit = hashes[t].back();
    digit = "1032547698badcfe"[std::stoi(std::string(1, digit), nullptr, 16)];  // its lowest bit
    WriteEvidence(folder / "e.h5", changed, true);
    const CheckReport report = Check(folder / "e.h5", FindKernel, Recompute());
    BOOST_TEST_REQUIRE(report.findings.size() == 1u, file);
    BOOST_TEST((report.findings[0].kind == Finding::Kind::kResult));
    BOOST_TEST(report.findings[0].place ==
               "cases/" + changed.cases[c].id + "/" + changed.tensors[t]);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace samebits::golden
