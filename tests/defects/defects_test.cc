// `explain` names the cause of every defect, by nothing but the bits of two files.
#include <boost/test/unit_test.hpp>
#include <set>
#include <string>

#include "golden/writer.h"
#include "tests/defects/defect.h"
#include "tests/harness/command.h"

namespace samebits::defects {
namespace {

using testing::CommandResult;
using testing::RunSamebits;
using testing::TemporaryFolder;

void WriteCase(const std::string& path, golden::FileInfo info, const Capture& capture,
               const std::vector<const TensorSet*>& sets) {
  info.kernel = capture.kernel->name();
  info.taps = true;
  info.contract = capture.kernel->NamedContract("");
  TensorSet all;
  for (const TensorSet* set : sets) {
    all.tensors.insert(all.tensors.end(), set->tensors.begin(), set->tensors.end());
  }
  golden::Writer writer(path, info, {.force = true, .resume = false});
  writer.Add({capture.kernel, capture.config, capture.style, 0}, 0, all);
  writer.Finish();
}

void WriteFiles(const TemporaryFolder& folder, const Capture& capture) {
  golden::FileInfo info;
  WriteCase((folder.path() / "golden.h5").string(), info, capture,
            {&capture.inputs, &capture.expected});
  info.schema = golden::Schema::kObserved;
  info.device = golden::Device{"test", "none", "", "defect", ""};
  WriteCase((folder.path() / "observed.h5").string(), info, capture, {&capture.observed});
}

BOOST_AUTO_TEST_SUITE(defects)

BOOST_AUTO_TEST_CASE(explain_names_every_cause) {
  const TemporaryFolder folder;
  for (const Defect& defect : Defects()) {
    BOOST_TEST_CONTEXT(defect.report << ": " << defect.what) {
      WriteFiles(folder, defect.make());
      const CommandResult result = RunSamebits("explain golden.h5 observed.h5", folder.path());
      BOOST_TEST(result.status == 1, result.err);
      BOOST_TEST(result.out.find(defect.sentence) != std::string::npos,
                 "expected \"" << defect.sentence << "\" in\n"
                               << result.out);
    }
  }
}

BOOST_AUTO_TEST_CASE(every_report_is_there_once) {
  std::set<std::string> reports;
  for (const Defect& defect : Defects()) {
    BOOST_TEST(reports.insert(defect.report).second, defect.report);
  }
  BOOST_TEST(reports.size() >= 25u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace samebits::defects
