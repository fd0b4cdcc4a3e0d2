// Profiles and captures as files, and the probe kernels on the executor.
#include "harness/profile/profile.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>

#include "golden/integrity_error.h"
#include "harness/profile/capture_file.h"
#include "harness/profile/chip.h"
#include "harness/status.h"
#include "model/contract.h"
#include "model/profiles/special_functions_sm_90.h"
#include "tests/harness/command.h"

namespace samebits::harness::profile {
namespace {

bool SameTable(const units::Interpolator& a, const units::Interpolator& b) {
  const auto same_row = [](const units::QuadraticRow& x, const units::QuadraticRow& y) {
    return x.c0 == y.c0 && x.c1 == y.c1 && x.c2 == y.c2;
  };
  return a.low_bits == b.low_bits && a.square_first_column == b.square_first_column &&
         a.fraction_bits == b.fraction_bits && a.c0_shift == b.c0_shift &&
         a.c2_shift == b.c2_shift && a.bias == b.bias &&
         std::equal(a.rows.begin(), a.rows.end(), b.rows.begin(), b.rows.end(), same_row);
}

// The tables that the model is compiled with are those of the file.
BOOST_AUTO_TEST_CASE(EmbeddedSm90EqualsTheModel) {
  const Profile profile = LoadProfile("sm_90");
  units::SpecialFunctionTables file = profile.tables();
  units::SpecialFunctionTables model = profiles::Sm90SpecialFunctions();
  for (const char* name : kFunctionNames) {
    BOOST_TEST(SameTable(TableNamed(name, &file), TableNamed(name, &model)), name);
    BOOST_TEST((profile.functions.at(name).evidence.kind == profiles::Evidence::kMeasured));
  }
  for (size_t i = 0; i < model.tanh_binades.size(); ++i) {
    BOOST_TEST(file.tanh_binades[i].index_bits == model.tanh_binades[i].index_bits);
    BOOST_TEST(file.tanh_binades[i].first_row == model.tanh_binades[i].first_row);
  }
}

BOOST_AUTO_TEST_CASE(EmbeddedMatrixUnitsEqualTheModel) {
  int with_entry = 0;
  for (const profiles::NamedMatrixUnit& named : profiles::MatrixUnits()) {
    if (named.instruction.empty()) continue;
    ++with_entry;
    const Profile profile = LoadProfile(std::string(named.chip()));
    const auto entry =
        std::find_if(profile.matrix.begin(), profile.matrix.end(),
                     [&](const MatrixEntry& e) { return e.instruction == named.instruction; });
    BOOST_REQUIRE_MESSAGE(entry != profile.matrix.end(), named.name);
    BOOST_TEST((entry->evidence.kind == named.evidence), named.name);
    // Other hypotheses about the same instruction.
    if (named.name == "gfx950.late_16" || named.name == "gfx950.late_32") continue;
    BOOST_TEST((entry->unit == named.unit), named.name);
  }
  BOOST_TEST(with_entry == 11);
}

BOOST_AUTO_TEST_CASE(EveryEmbeddedProfileSurvivesAFile) {
  const testing::TemporaryFolder folder;
  BOOST_TEST(ProfileNames().size() == 6);
  for (const std::string& name : ProfileNames()) {
    const Profile profile = LoadProfile(name);
    const std::string path = (folder.path() / "copy.toml").string();
    SaveProfile(path, profile, true);
    const Profile copy = LoadProfile(path);
    BOOST_TEST(copy.name == name);
    BOOST_TEST((copy.matrix == profile.matrix), name);
    units::SpecialFunctionTables a = profile.tables(), b = copy.tables();
    BOOST_TEST((a.method == b.method));
    for (const char* function : kFunctionNames) {
      BOOST_TEST(SameTable(TableNamed(function, &a), TableNamed(function, &b)), name);
    }
  }
}

BOOST_AUTO_TEST_CASE(BadProfilesAreRefused) {
  const testing::TemporaryFolder folder;
  BOOST_CHECK_THROW(LoadProfile("sm_9"), UsageError);
  const auto refused = [&](const std::string& text) {
    const auto path = folder.path() / "bad.toml";
    testing::WriteFile(path, text);
    BOOST_CHECK_THROW(LoadProfile(path.string()), ConfigError);
  };
  refused("name = ");
  refused("name = \"x\"\narchitecture = \"x\"\nvendor = \"ACME\"\n");
  refused("name = \"x\"\narchitecture = \"x\"\nvendor = \"AMD\"\n[matrix.m]\nm = 0\n");
}

gpu::probe::Chip SmallChip() { return LoadProfile("sm_90").chip(); }

// Kernels on the executor against the array functions of the model.
BOOST_AUTO_TEST_CASE(ExecutorAndModelCaptureTheSame) {
  const CaptureOptions options{.blocks = 2, .only = {}, .progress = {}};
  const auto simt_prober = gpu::probe::OpenSimtProber(SmallChip(), 7);
  const auto model_prober = gpu::probe::OpenModelProber(SmallChip(), 2);
  const Capture simt = TakeCapture(*simt_prober, "simt", options);
  const Capture model = TakeCapture(*model_prober, "model", options);
  BOOST_REQUIRE_EQUAL(simt.unary.size(), 16u);
  for (size_t i = 0; i < simt.unary.size(); ++i) {
    BOOST_TEST(simt.unary[i].fingerprints == model.unary[i].fingerprints, simt.unary[i].name);
    BOOST_TEST(simt.unary[i].edges == model.unary[i].edges, simt.unary[i].name);
    BOOST_TEST(simt.unary[i].results == model.unary[i].results, simt.unary[i].name);
  }
  for (size_t i = 0; i < simt.half.size(); ++i) {
    BOOST_TEST(simt.half[i].results == model.half[i].results, simt.half[i].name);
  }
  for (size_t i = 0; i < simt.scalar.size(); ++i) {
    BOOST_TEST(simt.scalar[i].results == model.scalar[i].results, simt.scalar[i].name);
  }
  BOOST_REQUIRE_EQUAL(simt.matrix.size(), 2u);
  for (size_t i = 0; i < simt.matrix.size(); ++i) {
    BOOST_TEST(simt.matrix[i].results == model.matrix[i].results, simt.matrix[i].name);
    BOOST_TEST(simt.matrix[i].placements_differ == 0);
  }
  BOOST_TEST(simt.matrix[0].placements == 2);
  BOOST_TEST(simt.matrix[1].placements == 8);
}

BOOST_AUTO_TEST_CASE(ACaptureSurvivesAFile) {
  const testing::TemporaryFolder folder;
  const auto prober = gpu::probe::OpenModelProber(SmallChip(), 2);
  const Capture capture = TakeCapture(*prober, "model", {.blocks = 3, .only = {}, .progress = {}});
  const std::string path = (folder.path() / "chip.h5").string();
  WriteCapture(path, capture, false);
  BOOST_CHECK_THROW(WriteCapture(path, capture, false), ConfigError);
  const Capture copy = ReadCapture(path);
  BOOST_TEST(copy.device.name == capture.device.name);
  BOOST_TEST(copy.date == capture.date);
  BOOST_TEST(copy.blocks == capture.blocks);
  BOOST_REQUIRE_EQUAL(copy.unary.size(), capture.unary.size());
  for (size_t i = 0; i < copy.unary.size(); ++i) {
    BOOST_TEST(copy.unary[i].name == capture.unary[i].name);
    BOOST_TEST(copy.unary[i].fingerprints == capture.unary[i].fingerprints);
    BOOST_TEST(copy.unary[i].edges == capture.unary[i].edges);
    BOOST_TEST(copy.unary[i].results == capture.unary[i].results);
  }
  BOOST_TEST(copy.matrix.at(1).results == capture.matrix.at(1).results);
  BOOST_TEST(CheckChip(copy, LoadProfile("sm_90"), 2).same());
  const ChipCheck other = CheckChip(copy, LoadProfile("sm_80"), 2);
  BOOST_TEST(!other.same());
  BOOST_TEST(other.unknown.size() == 15);

  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(5000);
  file.put('x');
  file.close();
  BOOST_CHECK_THROW(ReadCapture(path), golden::IntegrityError);
}

// The kernels for AMD under wavefronts of 64, each chip as its profile assumes it: the fit finds
// that again.
BOOST_AUTO_TEST_CASE(AmdProbesOnTheExecutorAreFitted) {
  for (const char* name : {"gfx90a", "gfx942", "gfx950"}) {
    const Profile profile = LoadProfile(name);
    const auto prober = gpu::probe::OpenSimtProber(profile.chip(), 1);
    const Capture capture = TakeCapture(*prober, "simt", {.blocks = 1, .only = {}, .progress = {}});
    FitOptions options;
    options.threads = 2;
    const ChipFit fit = FitChip(capture, options);
    BOOST_TEST(fit.special.functions.size() == 7, name);
    for (const FunctionFit& f : fit.special.functions) {
      BOOST_TEST((f.form == FunctionFit::Form::kCorrectlyRounded), name << " " << f.function);
      BOOST_TEST(f.exact(), name << " " << f.function);
    }
    BOOST_REQUIRE_EQUAL(fit.matrix.size(), profile.matrix.size());
    for (const MatrixFit& m : fit.matrix) {
      BOOST_TEST(m.exact(), name << " " << m.name << " misses " << m.misses);
      for (const MatrixEntry& entry : profile.matrix) {
        if (entry.instruction == m.name) BOOST_TEST((entry.unit == m.unit), name << " " << m.name);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(TheVerbAnswers) {
  const testing::TemporaryFolder folder;
  const auto status = [&](const std::string& arguments) {
    return testing::RunSamebits(arguments, folder.path()).status;
  };
  BOOST_TEST(status("profile show sm_90") == kIdentical);
  BOOST_TEST(status("profile show --json") == kIdentical);
  BOOST_TEST(status("profile show sm_9") == kUsage);
  BOOST_TEST(status("profile fit") == kUsage);
  BOOST_TEST(status("profile measure") == kUsage);
  BOOST_TEST(status("profile capture --backend model --blocks 1") == kUsage);
  BOOST_TEST(status("profile capture --backend model --blocks 1 -o a.h5") == kIdentical);
  BOOST_TEST(status("profile capture --backend model --blocks 1 -o a.h5") == kUsage);
  BOOST_TEST(status("profile check a.h5") == kUsage);
  BOOST_TEST(status("profile check a.h5 --profile sm_90") == kIdentical);
  BOOST_TEST(status("profile check a.h5 --profile sm_80") == kDivergent);
  BOOST_TEST(status("profile check missing.h5 --profile sm_90") == kUsage);
}

}  // namespace
}  // namespace samebits::harness::profile
