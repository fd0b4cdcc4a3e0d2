// `minimize`: the small case diverges as the large one did, and is a whole dataset of its own.
#include "harness/minimize/minimize.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "golden/custom.h"
#include "golden/reader.h"
#include "golden/writer.h"
#include "harness/minimize/inputs.h"
#include "model/kernel.h"
#include "tests/harness/command.h"

using namespace samebits;
using namespace samebits::harness;
using nlohmann::json;
using samebits::testing::CommandResult;
using samebits::testing::RunSamebits;
using samebits::testing::TemporaryFolder;

namespace {

struct Fixture {
  TemporaryFolder folder;

  json Run(const std::string& arguments, int status) {
    const CommandResult result = RunSamebits(arguments + " --json", folder.path());
    BOOST_REQUIRE_MESSAGE(result.status == status,
                          arguments << ": " << result.status << " " << result.err << result.out);
    return json::parse(result.out);
  }
  void Generate(const std::string& more = "") {
    Run("generate kda_decode -o golden.h5 --taps --force "
        "--config tokens=3,heads=2,requests=2,bias=1,pages=gapped,rows=padded,accepted=mixed " +
            more,
        0);
  }
  std::string Path(const std::string& name) const { return (folder.path() / name).string(); }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(minimize, Fixture)

BOOST_AUTO_TEST_CASE(numbers_become_simpler) {
  using enum Simplification;
  BOOST_TEST(Simplified(DType::kBf16, 0xC0A3, kZero) == 0u);
  BOOST_TEST(Simplified(DType::kBf16, 0x8000, kZero) == 0x8000u);
  BOOST_TEST(Simplified(DType::kBf16, 0xC0A3, kOne) == 0xBF80u);
  BOOST_TEST(Simplified(DType::kBf16, 0xC0A3, kPowerOfTwo) == 0xC080u);
  BOOST_TEST(Simplified(DType::kF32, 0x3DB504F3, kPowerOfTwo) == 0x3D800000u);
  BOOST_TEST(Simplified(DType::kF32, 0x7FC00001, kOne) == 0x7FC00001u);
  BOOST_TEST(Simplified(DType::kF32, 0x00000123, kPowerOfTwo) == 0x00000123u);
  BOOST_TEST(Simplified(DType::kF16, 0xC123, kOne) == 0xBC00u);
}

BOOST_AUTO_TEST_CASE(a_case_shrinks_and_still_diverges) {
  Generate();
  const json result = Run(
      "minimize golden.h5 --backend model --set key_dot_tree=ws_ascending -o small.h5 --runs 400",
      0);
  BOOST_TEST(result.at("first_tensor") == "taps/dot");
  // One token, one request, one head, everything else at its default.
  BOOST_TEST(result.at("config") == json({{"heads", "1"}, {"requests", "1"}}));
  BOOST_TEST(result.at("nonzeros").get<int>() * 20 < result.at("nonzeros_before").get<int>());
  BOOST_TEST(result.at("runs") <= 400);

  BOOST_TEST(Run("check small.h5 --recompute", 0).at("whole") == true);
  BOOST_TEST(Run("check small.observed.h5", 0).at("whole") == true);
  BOOST_TEST(Run("verify small.h5 --backend model --taps", 0).at("summary").at("identical") == 1);
  const json diff = Run("compare small.h5 small.observed.h5", 1);
  BOOST_TEST(diff.at("cases")[0].at("first_tensor") == "dot");
  BOOST_TEST(diff.at("cases")[0].at("inputs_style") == "custom");
  const json slice = Run("slice small.h5 small.observed.h5", 1);
  BOOST_TEST(slice.at("elements")[0].at("blame") == "parts");

  // What is small already can be shrunk further.
  const json again = Run("minimize small.h5 small.observed.h5 -o smaller.h5 --any --runs 60", 0);
  BOOST_TEST(again.at("nonzeros") <= result.at("nonzeros"));
}

BOOST_AUTO_TEST_CASE(the_kernel_source_on_the_executor) {
  Generate("--set out_product_order=gate_first");
  const json result = Run("minimize golden.h5 --backend simt -o small.h5 --runs 60", 0);
  BOOST_TEST(result.at("first_tensor") == "taps/out.scaled");
  BOOST_TEST(Run("verify small.h5 --backend simt --taps", 1).at("cases")[0].at("first_tensor") ==
             "out.scaled");
}

BOOST_AUTO_TEST_CASE(errors) {
  Generate();
  Run("generate kda_decode -o other.h5 --taps --set exp=exact --config tokens=3,heads=2,requests=2,"
      "bias=1,pages=gapped,rows=padded,accepted=mixed",
      0);
  const std::pair<const char*, const char*> failures[] = {
      {"--backend model -o small.h5", "the two sides have the same bits"},
      {"--backend model -o golden.h5", "golden.h5: exists (--force replaces it)"},
      {"other.h5 --backend model --set exp=ex2_ftz -o small.h5", "computes other bits"},
      {"--backend simt --set exp=exact -o small.h5", "expected --backend model"},
      {"--backend modl -o small.h5", "did you mean \"model\""},
      {"--backend model", "--output is required"},
  };
  for (const auto& [arguments, line] : failures) {
    const CommandResult result =
        RunSamebits(std::string("minimize golden.h5 ") + arguments, folder.path());
    BOOST_TEST(result.status == 2, arguments << ": " << result.err);
    BOOST_TEST(result.err.find(line) != std::string::npos, result.err);
  }
}

/// The seed of a custom case stands for its inputs.
BOOST_AUTO_TEST_CASE(a_custom_case_of_other_inputs_is_no_whole_file) {
  Generate();
  const golden::Reader reader(Path("golden.h5"));
  const golden::CaseEntry& entry = reader.cases().front();
  TensorSet tensors;
  for (const golden::TensorEntry& tensor : entry.tensors) {
    tensors.tensors.push_back(reader.Read(entry, tensor));
  }
  const auto write = [&](uint64_t seed, golden::Store store) {
    golden::FileInfo info = reader.info();
    info.store = store;
    golden::Writer writer(Path("custom.h5"), info, {.force = true, .resume = false});
    writer.Add({FindKernel("kda_decode"), entry.config, "custom", seed}, 0, tensors);
    writer.Finish();
  };
  const uint64_t seed = golden::CustomSeed(tensors);
  write(seed, golden::Store::kFull);
  BOOST_TEST(Run("check custom.h5 --recompute", 0).at("whole") == true);
  write(seed + 1, golden::Store::kFull);
  BOOST_TEST(Run("check custom.h5", 4).at("whole") == false);
  write(seed, golden::Store::kHashes);
  BOOST_TEST(Run("check custom.h5", 4).at("whole") == false);
  const CommandResult verified = RunSamebits("verify custom.h5 --backend model", folder.path());
  BOOST_TEST(verified.status == 4);
  BOOST_TEST(verified.err.find("its inputs, which are custom") != std::string::npos);
  BOOST_TEST(RunSamebits("generate kda_decode -o x.h5 --inputs custom", folder.path()).status == 2);
}

BOOST_AUTO_TEST_SUITE_END()
