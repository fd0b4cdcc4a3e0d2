// From generate to compare with the program itself, and the verifier put to the test: one flipped
// bit, anywhere, must be found where it is.
#include <hdf5.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "golden/reader.h"
#include "golden/seal.h"
#include "golden/writer.h"
#include "model/kernel.h"
#include "tests/harness/command.h"

using namespace samebits;
using nlohmann::json;
using samebits::testing::CommandResult;
using samebits::testing::RunSamebits;
using samebits::testing::TemporaryFolder;

namespace {

constexpr const char* kGenerate =
    "generate kda_decode -o golden.h5 --taps "
    "--config tokens=3,heads=1,requests=3,record=1,padding=first,pages=gapped,rows=padded";

struct Fixture {
  TemporaryFolder folder;

  json Run(const std::string& arguments, int status) {
    const CommandResult result = RunSamebits(arguments + " --json", folder.path());
    BOOST_REQUIRE_MESSAGE(result.status == status,
                          arguments << ": " << result.status << " " << result.err << result.out);
    return json::parse(result.out);
  }
  std::string Path(const std::string& name) const { return (folder.path() / name).string(); }

  /// A copy of golden.h5 as an observed file with tensor `t` of the only case changed.
  void WriteChanged(const golden::Reader& reader, size_t t, int64_t element, uint32_t flip) {
    const golden::CaseEntry& entry = reader.cases().front();
    TensorSet tensors;
    for (const golden::TensorEntry& tensor : entry.tensors) {
      tensors.tensors.push_back(reader.Read(entry, tensor));
    }
    const size_t size = SizeOf(tensors.tensors[t].spec.dtype);
    std::byte* at = tensors.tensors[t].data.data() + static_cast<size_t>(element) * size;
    uint32_t bits = 0;
    std::memcpy(&bits, at, size);
    bits ^= flip;
    std::memcpy(at, &bits, size);
    golden::FileInfo info = reader.info();
    info.schema = golden::Schema::kObserved;
    info.device = golden::Device{"test", "none", "", "changed", ""};
    golden::Writer writer(Path("changed.h5"), info, {.force = true, .resume = false});
    writer.Add(golden::SpecOf(entry, *FindKernel("kda_decode")), entry.index, tensors);
    writer.Finish();
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(end_to_end, Fixture)

BOOST_AUTO_TEST_CASE(generate_check_verify_compare) {
  Run(kGenerate, 0);
  BOOST_TEST(Run("check golden.h5", 0).at("whole") == true);
  BOOST_TEST(Run("check golden.h5 --recompute", 0).at("whole") == true);
  const json verified =
      Run("verify golden.h5 --backend model --taps --repeat 2 --record seen.h5", 0);
  BOOST_TEST(verified.at("contract_differs") == false);
  BOOST_TEST(verified.at("summary").at("identical") == 1);
  BOOST_TEST(verified.at("cases")[0].at("runs") == 2);
  BOOST_TEST(verified.at("cases")[0].at("tensors_compared").get<int>() > 10);
  BOOST_TEST(Run("compare golden.h5 seen.h5", 0).at("summary").at("identical") == 1);
  BOOST_TEST(Run("inspect seen.h5", 0).at("schema") == "samebits-observed");
  BOOST_TEST(Run("check seen.h5", 0).at("whole") == true);
}

/// Without a configuration the style makes a dataset of several, with one a case.
BOOST_AUTO_TEST_CASE(discriminating_inputs) {
  BOOST_TEST(Run("generate kda_decode --inputs discriminating --store hashes -o all.h5", 0)
                 .at("cases")
                 .get<int>() > 1);
  BOOST_TEST(Run("check all.h5 --recompute", 0).at("whole") == true);
  BOOST_TEST(Run("generate kda_decode --inputs discriminating --config heads=2 -o one.h5", 0)
                 .at("cases") == 1);
}

BOOST_AUTO_TEST_CASE(equal_hashes_of_other_values_are_damage) {
  Run(kGenerate, 0);
  std::filesystem::copy(Path("golden.h5"), Path("forged.h5"));
  const std::string id = golden::Reader(Path("golden.h5")).cases().front().id;
  const hid_t file = H5Fopen(Path("forged.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  const hid_t output = H5Dopen2(file, ("cases/" + id + "/outputs/output").c_str(), H5P_DEFAULT);
  const hid_t space = H5Dget_space(output);
  std::vector<uint16_t> bits(static_cast<size_t>(H5Sget_simple_extent_npoints(space)));
  BOOST_REQUIRE(H5Dread(output, H5T_NATIVE_UINT16, H5S_ALL, H5S_ALL, H5P_DEFAULT, bits.data()) >=
                0);
  bits.back() ^= 1;
  BOOST_REQUIRE(H5Dwrite(output, H5T_NATIVE_UINT16, H5S_ALL, H5S_ALL, H5P_DEFAULT, bits.data()) >=
                0);
  H5Sclose(space);
  H5Dclose(output);
  H5Fclose(file);
  golden::WriteSeal(Path("forged.h5"));
  for (const char* arguments : {"compare golden.h5 forged.h5", "compare forged.h5 golden.h5",
                                "verify forged.h5 --backend model"}) {
    const CommandResult result = RunSamebits(arguments, folder.path());
    BOOST_TEST(result.status == 4, arguments);
    BOOST_TEST(result.err.find("outputs/output") != std::string::npos, result.err);
  }
}

BOOST_AUTO_TEST_CASE(a_golden_case_without_a_tensor_is_damage) {
  Run(kGenerate, 0);
  const golden::Reader reader(Path("golden.h5"));
  const golden::CaseEntry& entry = reader.cases().front();
  TensorSet tensors;
  for (const golden::TensorEntry& tensor : entry.tensors) {
    if (tensor.spec.name != "dot") tensors.tensors.push_back(reader.Read(entry, tensor));
  }
  golden::Writer writer(Path("less.h5"), reader.info(), {.force = true, .resume = false});
  writer.Add(golden::SpecOf(entry, *FindKernel("kda_decode")), entry.index, tensors);
  writer.Finish();
  for (const char* arguments : {"verify less.h5 --backend model --taps", "check less.h5"}) {
    const CommandResult result = RunSamebits(arguments, folder.path());
    BOOST_TEST(result.status == 4, arguments);
    BOOST_TEST((result.out + result.err).find("taps/dot") != std::string::npos, result.err);
  }
}

BOOST_AUTO_TEST_CASE(the_same_command_gives_the_same_bytes) {
  Run(kGenerate, 0);
  const std::string first = testing::ReadFile(Path("golden.h5"));
  Run(std::string(kGenerate) + " --force --threads 1", 0);
  BOOST_TEST((testing::ReadFile(Path("golden.h5")) == first));
}

BOOST_AUTO_TEST_CASE(a_flipped_bit_of_any_tensor_is_found_where_it_is) {
  Run(kGenerate, 0);
  const golden::Reader reader(Path("golden.h5"));
  const std::vector<golden::TensorEntry>& tensors = reader.cases().front().tensors;
  for (size_t t = 0; t < tensors.size(); ++t) {
    const TensorSpec& spec = tensors[t].spec;
    BOOST_TEST_CONTEXT(GroupName(spec.role) << "/" << spec.name) {
      const int64_t element = (spec.elements() - 1) * 2 / 3;
      WriteChanged(reader, t, element, 1u << (t % (SizeOf(spec.dtype) * 8)));
      const json report = Run("compare golden.h5 changed.h5", 1);
      const json& differences = report.at("cases")[0].at("differences");
      BOOST_REQUIRE(differences.size() == 1u);
      BOOST_TEST(differences[0].at("tensor") == spec.name);
      BOOST_TEST(differences[0].at("group") == std::string(GroupName(spec.role)));
      BOOST_TEST(differences[0].at("differing") == 1);
      BOOST_TEST(differences[0].at("first").at("index") == element);
      int64_t index = 0;
      for (size_t d = 0; d < spec.dims.size(); ++d) {
        index = index * spec.shape[d] +
                differences[0].at("first").at("coordinates").at(spec.dims[d]).get<int64_t>();
      }
      BOOST_TEST(index == element);
    }
  }
}

BOOST_AUTO_TEST_CASE(nan_policy_is_explicit) {
  Run(std::string(kGenerate) + " --inputs specials", 0);
  const golden::Reader reader(Path("golden.h5"));
  const golden::CaseEntry& entry = reader.cases().front();
  for (size_t t = 0; t < entry.tensors.size(); ++t) {
    const TensorSpec& spec = entry.tensors[t].spec;
    if (spec.role == Role::kInput || spec.dtype != DType::kF32) continue;
    const Tensor tensor = reader.Read(entry, entry.tensors[t]);
    for (int64_t i = 0; i < spec.elements(); ++i) {
      if (tensor.view<uint32_t>()[static_cast<size_t>(i)] != 0x7FFFFFFFu) continue;
      WriteChanged(reader, t, i, 0x80000000u);
      const json report = Run("compare golden.h5 changed.h5", 1);
      BOOST_TEST(report.at("cases")[0].at("differences")[0].at("first").at("change") ==
                 "nan_payload");
      Run("compare golden.h5 changed.h5 --nan class", 0);
      return;
    }
  }
  BOOST_FAIL("no NaN in any result of the special inputs");
}

BOOST_AUTO_TEST_CASE(hashes_alone_verify_and_localise) {
  const std::string generate = std::string(kGenerate) + " --store hashes";
  Run(generate, 0);
  BOOST_TEST(Run("check golden.h5 --recompute", 0).at("whole") == true);
  BOOST_TEST(Run("verify golden.h5 --backend model --taps", 0).at("summary").at("identical") == 1);
  const json kernel = Run("list kda_decode", 0).at("kernels")[0];
  // The first choice with an alternative that shows.
  for (const json& choice : kernel.at("choices")) {
    for (const std::string value : choice.at("values")) {
      const CommandResult result =
          RunSamebits("verify golden.h5 --backend model --taps --json --set " +
                          choice.at("name").get<std::string>() + "=" + value,
                      folder.path());
      if (result.status != 1) continue;
      const json report = json::parse(result.out);
      BOOST_TEST(report.at("contract_differs") == true);
      BOOST_TEST(report.at("cases")[0].at("differences")[0].at("first").contains("coordinates"));
      return;
    }
  }
  BOOST_FAIL("no choice shows");
}

BOOST_AUTO_TEST_CASE(many_cases_filter_and_resume) {
  testing::WriteFile(folder.path() / "m.toml",
                     "kernel = \"kda_decode\"\n[[block]]\n"
                     "axes = { tokens = [1, 2], heads = [1], requests = [1, 2] }\n");
  Run("generate kda_decode --matrix m.toml -o many.h5", 0);
  const json all = Run("verify many.h5 --backend model", 0);
  BOOST_TEST(all.at("cases").size() == 4u);
  const json some = Run("verify many.h5 --backend model --filter tokens=2", 0);
  BOOST_TEST(some.at("cases").size() == 2u);
  const std::string id = all.at("cases")[1].at("id");
  const json one = Run("verify many.h5 --backend model --case " + id.substr(0, 12), 0);
  BOOST_REQUIRE(one.at("cases").size() == 1u);
  BOOST_TEST(one.at("cases")[0].at("id") == id);
}

BOOST_AUTO_TEST_CASE(what_was_not_compared_is_said) {
  const std::string generate = "generate kda_decode --config heads=1,requests=1,tokens=";
  Run(generate + "1 -o one.h5", 0);
  Run(generate + "1 --taps -o taps.h5", 0);
  Run(generate + "2 -o two.h5", 0);
  const json other = Run("compare one.h5 two.h5", 77);
  BOOST_TEST(other.at("cases_only_expected") == 1);
  BOOST_TEST(other.at("cases_only_actual") == 1);
  const json fewer = Run("compare one.h5 taps.h5", 0);
  const std::string note = fewer.at("cases")[0].at("notes").at(0);
  BOOST_TEST(note.find("tensors of taps.h5 that one.h5 does not have") != std::string::npos, note);
  BOOST_TEST(Run("verify one.h5 --backend model --taps", 0).at("taps_of_model") == true);
  BOOST_TEST(Run("verify taps.h5 --backend model --taps", 0).at("taps_of_model") == false);
}

/// The result of another run does not hide what the files say.
BOOST_AUTO_TEST_CASE(a_report_shows_what_was_explained) {
  Run("generate kda_decode --config heads=1,requests=1,tokens=1 --taps -o g.h5", 0);
  Run("verify g.h5 --backend model --taps --record o.h5 --set key_dot_tree=pairwise", 1);
  const json explained = Run("explain g.h5 o.h5", 1);
  const json verified = Run("verify g.h5 --backend model --taps", 0);
  testing::WriteFile(folder.path() / "e.json", explained.dump());
  testing::WriteFile(folder.path() / "v.json", verified.dump());
  BOOST_TEST(Run("report v.json e.json g.h5 o.h5 -o page.html", 0).at("causes") == 1);
  const std::string page = testing::ReadFile(folder.path() / "page.html");
  BOOST_TEST(page.find("key_dot_tree is pairwise") != std::string::npos);
  Run("verify g.h5 --backend model --taps --record two.h5 --set "
      "key_dot_tree=pairwise,silu_rounding=none",
      1);
  const CommandResult two = RunSamebits("report g.h5 two.h5 --explain -o two.html", folder.path());
  BOOST_TEST(two.out.starts_with("two.html: 1 case, 2 causes, 0 trees, "), two.out);
}

BOOST_AUTO_TEST_SUITE_END()
