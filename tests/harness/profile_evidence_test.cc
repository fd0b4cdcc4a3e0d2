// What an H200 computed (data/silicon/sm_90/capture.h5), replayed: it agrees with the profile, and
// the fit finds the profile's units in it without reading one. `all` as an argument: every block.
#include <boost/test/unit_test.hpp>
#include <string>

#include "harness/profile/capture_file.h"
#include "harness/profile/chip.h"
#include "harness/profile/profile.h"
#include "model/arith/float32.h"
#include "model/profiles/matrix_units.h"

namespace samebits::harness::profile {
namespace {

constexpr char kFile[] = "data/silicon/sm_90/capture.h5";

bool AllBlocks() {
  const auto& suite = boost::unit_test::framework::master_test_suite();
  return suite.argc > 1 && std::string(suite.argv[1]) == "all";
}

/// Every 199th block only, unless all are wanted.
Capture Recorded() {
  Capture capture = ReadCapture(kFile);
  BOOST_REQUIRE(capture.complete());
  if (AllBlocks()) return capture;
  Capture part = capture;
  part.blocks.clear();
  for (UnaryCapture& unary : part.unary) unary.fingerprints.clear();
  for (size_t i = 0; i < capture.blocks.size(); i += 199) {
    part.blocks.push_back(capture.blocks[i]);
    for (size_t u = 0; u < part.unary.size(); ++u) {
      part.unary[u].fingerprints.push_back(capture.unary[u].fingerprints[i]);
    }
  }
  return part;
}

BOOST_AUTO_TEST_CASE(TheCaptureIsOfAnH200) {
  const Capture capture = ReadCapture(kFile);
  BOOST_TEST(capture.device.name == "NVIDIA H200");
  BOOST_TEST(capture.device.architecture == "sm_90");
  BOOST_TEST(capture.backend == "cuda");
  BOOST_TEST(capture.clock_mhz > 0);
  BOOST_TEST(capture.unary.size() == 16);
  BOOST_TEST(capture.matrix.size() == 2);
}

BOOST_AUTO_TEST_CASE(ItAgreesWithTheProfile) {
  const ChipCheck check = CheckChip(Recorded(), LoadProfile("sm_90"), 2);
  BOOST_TEST(check.same());
  BOOST_TEST(check.unknown.empty());
  for (const Proof& proof : check.unary) BOOST_TEST(proof.exact(), proof.name);
  for (const OperationCheck& c : check.operations) BOOST_TEST(c.differ == 0, c.name << c.first);
  for (const MatrixCheck& m : check.matrix) BOOST_TEST((m.known && m.misses == 0), m.instruction);
}

BOOST_AUTO_TEST_CASE(TheFitFindsItsUnits) {
  const Capture capture = Recorded();
  FitOptions options;
  options.threads = 2;
  const ChipFit fit = FitChip(capture, options);
  BOOST_TEST(fit.exact());
  BOOST_TEST(fit.special.functions.size() == 8);
  for (const FunctionFit& f : fit.special.functions) {
    BOOST_TEST((f.form == FunctionFit::Form::kInterpolated), f.function << ": " << f.failure);
    BOOST_TEST(f.exact(), f.function);
    BOOST_TEST(f.table.low_bits == (f.function == "rcp" ? 16 : 17), f.function);
    BOOST_TEST(f.table.square_first_column == (f.function == "rcp" ? 17 : 19), f.function);
  }
  BOOST_REQUIRE(fit.matrix.size() == 2);
  for (const MatrixFit& m : fit.matrix) {
    BOOST_TEST(m.exact(), m.name);
    BOOST_TEST((m.unit == profiles::FindMatrixUnit("sm_90.mma_sync")->unit), m.name);
    for (const Sensitivity& s : m.parameters) BOOST_TEST(s.same.empty(), m.name << s.parameter);
  }
}

}  // namespace
}  // namespace samebits::harness::profile
