#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <thread>

#include "golden/check.h"
#include "golden/contract_text.h"
#include "golden/generate.h"
#include "golden/inputs.h"
#include "golden/integrity_error.h"
#include "golden/matrix.h"
#include "golden/reader.h"
#include "golden/run_case.h"
#include "golden/seal.h"
#include "golden/xxh3.h"
#include "tests/golden/fake_kernel.h"
#include "tests/golden/temporary_folder.h"

namespace samebits::golden {
namespace {

using testing::Fake;
using testing::FileBytes;
using testing::FindFake;
using testing::TemporaryFolder;
using testing::WriteBytes;

FileInfo Info(Store store, bool taps = true) {
  FileInfo info;
  info.store = store;
  info.kernel = "fake";
  info.taps = taps;
  info.tool_version = "0.1.0";
  info.commit = "0123456789ab";
  info.contract = Fake().NamedContract("");
  return info;
}

std::vector<CaseSpec> Cases() {
  std::vector<CaseSpec> cases;
  for (const char* layout : {"padded", "dense"}) {
    for (const char* style : {"realistic", "specials"}) {
      const Settings config = {{"rows", "4"}, {"columns", "7"}, {"layout", layout}};
      cases.push_back({&Fake(), Fake().Complete(config), style, 11});
    }
  }
  return cases;
}

void Make(const std::string& path, Store store, int threads = 1, WriterOptions writer = {}) {
  GenerateOptions options;
  options.threads = threads;
  options.writer = writer;
  Generate(path, Info(store), Cases(), options);
}

bool Same(const TensorSet& a, const TensorSet& b) {
  return std::equal(
      a.tensors.begin(), a.tensors.end(), b.tensors.begin(), b.tensors.end(),
      [](const Tensor& x, const Tensor& y) { return x.spec == y.spec && x.data == y.data; });
}

}  // namespace

BOOST_AUTO_TEST_SUITE(dataset)

BOOST_AUTO_TEST_CASE(what_was_written_is_read) {
  const TemporaryFolder folder;
  for (const Store store : {Store::kFull, Store::kHashes}) {
    const std::string path = folder / std::string(Name(store));
    Make(path, store);
    const Reader reader(path);
    BOOST_TEST((reader.info() == Info(store)));
    const std::vector<CaseSpec> cases = Cases();
    BOOST_TEST_REQUIRE(reader.cases().size() == cases.size());
    for (size_t i = 0; i < cases.size(); ++i) {
      const CaseEntry& entry = reader.cases()[i];
      BOOST_TEST(entry.id == CaseId(cases[i], reader.info().contract_hash()));
      BOOST_TEST((entry.config == cases[i].config));
      BOOST_TEST(entry.style == cases[i].style);
      BOOST_TEST(reader.FindCase(entry.id.substr(0, 12)) == &entry);
      const TensorSet all = ComputeCase(cases[i], Info(store).contract, true, 1);
      for (const Tensor& tensor : all.tensors) {
        const TensorEntry* stored = entry.Find(tensor.spec.role, tensor.spec.name);
        BOOST_TEST_REQUIRE(stored != nullptr);
        BOOST_TEST((stored->spec == tensor.spec));
        BOOST_TEST(stored->xxh3 == HashHex(tensor));
        if (store == Store::kFull) BOOST_TEST((reader.Read(entry, *stored).data == tensor.data));
      }
      const TensorSet inputs = GenerateInputs(cases[i]);
      BOOST_TEST(Same(reader.Inputs(entry, Fake()), inputs));
      BOOST_TEST(reader.Read(entry, Role::kOutput).tensors.size() ==
                 (store == Store::kFull ? 2u : 0u));
    }
    BOOST_TEST(reader.FindCase("zz") == nullptr);
    BOOST_CHECK_THROW(reader.FindCase(""), ConfigError);
    for (const bool recompute : {false, true}) {
      const CheckReport report = Check(path, FindFake, {recompute, 2, {}});
      BOOST_TEST(report.findings.empty());
      BOOST_TEST(report.cases == 4u);
      BOOST_TEST(report.tensors == 4 * 8u);
    }
  }
}

BOOST_AUTO_TEST_CASE(same_command_same_bytes_whatever_the_threads) {
  const TemporaryFolder folder;
  for (const Store store : {Store::kFull, Store::kHashes}) {
    Make(folder / "a", store, 1, {true, false});
    Make(folder / "b", store, 4, {true, false});
    BOOST_TEST((FileBytes(folder / "a") == FileBytes(folder / "b")));
  }
  BOOST_TEST(!std::filesystem::exists(folder / "a.partial"));
  BOOST_TEST(!std::filesystem::exists(folder / "a.writing"));
}

BOOST_AUTO_TEST_CASE(an_existing_file_is_kept_without_force) {
  const TemporaryFolder folder;
  WriteBytes(folder / "a", "precious");
  BOOST_CHECK_THROW(Make(folder / "a", Store::kHashes), ConfigError);
  BOOST_TEST(FileBytes(folder / "a") == "precious");
  BOOST_CHECK_THROW(Make(folder / "none" + "/a", Store::kHashes), StorageError);
}

/// Stops after `count` cases by an exception, as an interruption would, and resumes.
BOOST_AUTO_TEST_CASE(a_resumed_run_gives_the_bytes_of_an_uninterrupted_one) {
  const TemporaryFolder folder;
  for (const Store store : {Store::kFull, Store::kHashes}) {
    Make(folder / "whole", store, 1, {true, false});
    const std::string whole = FileBytes(folder / "whole");
    for (size_t count = 0; count < 4; ++count) {
      {
        Writer writer(folder / "a", Info(store), {true, false});
        for (size_t i = 4; i-- > 4 - count;) {
          const CaseSpec spec = Cases()[i];
          writer.Add(spec, static_cast<int64_t>(i),
                     ComputeCase(spec, Info(store).contract, true, 1));
        }
      }
      const std::string journal = FileBytes(folder / "a.partial");
      // Torn at any place, the journal gives up at most its last case.
      for (size_t cut = 0; cut <= journal.size(); cut += 97) {
        std::filesystem::remove(folder / "a");
        WriteBytes(folder / "a.partial", journal.substr(0, journal.size() - cut));
        if (journal.size() - cut < 52) {  // in the header
          if (cut < journal.size()) {
            BOOST_CHECK_THROW(Make(folder / "a", store, 1, {false, true}), ConfigError);
          }
          continue;
        }
        Make(folder / "a", store, 2, {false, true});
        BOOST_TEST((FileBytes(folder / "a") == whole));
      }
      std::filesystem::remove(folder / "a.partial");
      std::filesystem::remove(folder / "a");
    }
  }
}

BOOST_AUTO_TEST_CASE(a_damaged_journal_is_not_believed) {
  const TemporaryFolder folder;
  Make(folder / "whole", Store::kFull);
  {
    Writer writer(folder / "a", Info(Store::kFull));
    writer.Add(Cases()[0], 0, ComputeCase(Cases()[0], Info(Store::kFull).contract, true, 1));
  }
  std::string journal = FileBytes(folder / "a.partial");
  journal[journal.size() - 5] ^= 1;
  WriteBytes(folder / "a.partial", journal);
  Make(folder / "a", Store::kFull, 1, {false, true});
  BOOST_TEST((FileBytes(folder / "a") == FileBytes(folder / "whole")));
}

BOOST_AUTO_TEST_CASE(resuming_takes_over_what_is_whole) {
  const TemporaryFolder folder;
  {
    Writer writer(folder / "a", Info(Store::kFull));
    writer.Add(Cases()[2], 2, ComputeCase(Cases()[2], Info(Store::kFull).contract, true, 1));
    BOOST_TEST(!std::filesystem::exists(folder / "a"));
    BOOST_CHECK_THROW(Writer(folder / "a", Info(Store::kFull), {false, true}), ConfigError);
  }
  {
    Writer writer(folder / "a", Info(Store::kFull), {false, true});
    BOOST_TEST(!writer.Reuse(Cases()[0], 0));
    BOOST_TEST(writer.Reuse(Cases()[2], 5));
    BOOST_CHECK_THROW(writer.Reuse(Cases()[2], 6), std::invalid_argument);
    writer.Finish();
  }
  const Reader reader(folder / "a");
  BOOST_TEST_REQUIRE(reader.cases().size() == 1u);
  BOOST_TEST(reader.cases()[0].index == 5);
}

BOOST_AUTO_TEST_CASE(the_journal_of_another_command_is_refused) {
  const TemporaryFolder folder;
  { const Writer writer(folder / "a", Info(Store::kFull)); }
  FileInfo other = Info(Store::kFull);
  other.contract.choices["contract"] = "separate";
  BOOST_CHECK_THROW(Writer(folder / "a", other, {false, true}), ConfigError);
  BOOST_CHECK_THROW(Writer(folder / "a", Info(Store::kHashes), {false, true}), ConfigError);
  BOOST_CHECK_NO_THROW(Writer(folder / "a", other));
}

/// A process that is killed at any moment leaves no file under the final name, or a whole one.
BOOST_AUTO_TEST_CASE(a_killed_run_leaves_nothing_damaged) {
  const TemporaryFolder folder;
  Make(folder / "whole", Store::kFull);
  for (int trial = 0; trial < 12; ++trial) {
    const pid_t child = fork();
    if (child == 0) {
      for (;;) Make(folder / "a", Store::kFull, 1, {true, true});
    }
    std::this_thread::sleep_for(std::chrono::microseconds(700 * trial));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    if (std::filesystem::exists(folder / "a")) {
      BOOST_TEST((FileBytes(folder / "a") == FileBytes(folder / "whole")));
    }
  }
  Make(folder / "a", Store::kFull, 1, {true, true});
  BOOST_TEST((FileBytes(folder / "a") == FileBytes(folder / "whole")));
}

BOOST_AUTO_TEST_CASE(observed_files_hold_any_subset) {
  const TemporaryFolder folder;
  FileInfo info = Info(Store::kFull, false);
  info.schema = Schema::kObserved;
  info.device = Device{"NVIDIA H200", "sm_90", "580.1", "fake_kernel", "00ff"};
  const CaseSpec spec = Cases()[0];
  const TensorSet all = ComputeCase(spec, info.contract, false, 1);
  TensorSet outputs;
  outputs.tensors.push_back(all.At(Role::kOutput, "y"));
  {
    Writer writer(folder / "a", info);
    writer.Add(spec, 0, outputs);
    writer.Finish();
  }
  const Reader reader(folder / "a");
  BOOST_TEST((reader.info() == info));
  const CaseEntry& entry = reader.cases()[0];
  BOOST_TEST(Same(reader.Read(entry, Role::kOutput), outputs));
  BOOST_TEST(Same(reader.Inputs(entry, Fake()), GenerateInputs(spec)));
  BOOST_TEST(Check(folder / "a", FindFake).findings.empty());
  info.device.reset();
  BOOST_CHECK_THROW(Writer(folder / "b", info), std::invalid_argument);
}

/// Observed files of one device have no such attribute, as older ones.
BOOST_AUTO_TEST_CASE(an_observed_file_says_how_many_devices_shared_the_ranks) {
  const TemporaryFolder folder;
  FileInfo info = Info(Store::kHashes, false);
  info.schema = Schema::kObserved;
  const CaseSpec spec = Cases()[0];
  const TensorSet results = ComputeCase(spec, info.contract, false, 1);
  for (const int64_t count : {0, 1, 2, 64, 65}) {
    info.device = Device{"NVIDIA H200", "sm_90", "580.1", "fake_kernel", "00ff", count};
    {
      Writer writer(folder / "a", info, {true, false});
      writer.Add(spec, 0, results);
      writer.Finish();
    }
    const std::vector<std::string> names = OpenSealed(folder / "a").Root().Attributes();
    BOOST_TEST(std::ranges::count(names, "devices") == (count == 1 ? 0 : 1));
    if (count >= 1 && count <= 64) {
      BOOST_TEST((Reader(folder / "a").info() == info));
      continue;
    }
    BOOST_CHECK_EXCEPTION(Reader(folder / "a"), IntegrityError, [&](const auto& error) {
      return std::string(error.what()) == (folder / "a") +
                                              ": /: attribute devices: expected 1..64, found " +
                                              std::to_string(count);
    });
  }
}

BOOST_AUTO_TEST_CASE(recompute_names_the_tensors_that_differ) {
  const TemporaryFolder folder;
  const FileInfo info = Info(Store::kHashes);
  Contract other = info.contract;
  other.choices["contract"] = "separate";
  const Settings config = {{"rows", "8"}, {"columns", "50"}};
  const CaseSpec spec = {&Fake(), Fake().Complete(config), "wide", 11};
  {
    Writer writer(folder / "a", info);  // says fused, holds separate
    writer.Add(spec, 0, ComputeCase(spec, other, true, 1));
    writer.Finish();
  }
  BOOST_TEST(Check(folder / "a", FindFake).findings.empty());
  const CheckReport report = Check(folder / "a", FindFake, {true, 1, {}});
  BOOST_TEST_REQUIRE(!report.findings.empty());
  BOOST_TEST((report.findings[0].kind == Finding::Kind::kResult));
  BOOST_TEST(report.findings[0].place.ends_with("outputs/state"));
}

BOOST_AUTO_TEST_CASE(wrong_sets_of_tensors_are_found_although_sealed) {
  const TemporaryFolder folder;
  const CaseSpec spec = Cases()[0];
  const FileInfo info = Info(Store::kFull);
  const TensorSet all = ComputeCase(spec, info.contract, true, 1);
  const auto finding = [&](const TensorSet& set) {
    Writer writer(folder / "a", info, {true, false});
    writer.Add(spec, 0, set);
    writer.Finish();
    const CheckReport report = Check(folder / "a", FindFake);
    BOOST_TEST_REQUIRE(report.findings.size() == 1u);
    return report.findings[0].place.substr(39) + ": " + report.findings[0].expected;
  };
  TensorSet set = all;
  set.tensors.erase(set.tensors.begin() + 6);
  BOOST_TEST(finding(set) == "outputs/y: missing");
  set = all;
  set.tensors[6].spec.name = "z";
  set.tensors.push_back(all.tensors[6]);
  BOOST_TEST(finding(set) == "outputs/z: extra: not a tensor of the kernel");
  set = all;
  set.tensors[6].spec.dtype = DType::kF16;
  BOOST_TEST(finding(set) == "outputs/y: expected the type, dimensions and shape of the kernel");
  set = all;
  set.tensors[6].spec.dims[1] = "rows";
  BOOST_TEST(finding(set) == "outputs/y: expected the type, dimensions and shape of the kernel");
}

BOOST_AUTO_TEST_CASE(a_file_keeps_the_matrix_that_it_was_made_from) {
  const TemporaryFolder folder;
  FileInfo info = Info(Store::kHashes);
  info.matrix = "kernel = \"fake\"\n[[block]]\naxes = { rows = [2, 4] }  # two cases\n";
  const std::vector<CaseSpec> cases = ParseMatrix(info.matrix, "matrix", Fake());
  Generate(folder / "a", info, cases, {});
  BOOST_TEST((Reader(folder / "a").info() == info));
  BOOST_TEST(Check(folder / "a", FindFake).findings.empty());
  for (const std::string& matrix : {info.matrix + "seed = [", "seed = 1\n" + info.matrix}) {
    FileInfo other = info;
    other.matrix = matrix;  // whose cases the file does not have
    Generate(folder / "b", other, cases, {{true, false}, 1, {}});
    const CheckReport report = Check(folder / "b", FindFake);
    BOOST_TEST_REQUIRE(report.findings.size() == 1u);
    BOOST_TEST(report.findings[0].place == "attribute matrix");
  }
  info.matrix.resize(kMaxMatrixBytes + 1, '#');
  BOOST_CHECK_THROW(Generate(folder / "c", info, cases, {}), ConfigError);
}

BOOST_AUTO_TEST_CASE(contracts_survive_as_text) {
  Contract contract = Fake().NamedContract("");
  contract.name = "a \"quoted\" \\ name+x=y";
  contract.choices["another"] = "1";
  BOOST_TEST((ParseContract(ContractText(contract), "t") == contract));
  Contract renamed = contract;
  renamed.name = "b";
  BOOST_TEST(ContractHash(contract) == ContractHash(renamed));
  renamed.choices["another"] = "2";
  BOOST_TEST(ContractHash(contract) != ContractHash(renamed));
  renamed = contract;
  renamed.profile = "sm_100";
  BOOST_TEST(ContractHash(contract) != ContractHash(renamed));
  for (const char* text :
       {"", "kernel = 1", "kernel = \"k\"\nname = \"n\"\nprofile = \"p\"\nchoices = 3",
        "kernel = \"k\"\nname = \"n\"\nprofile = \"p\"\nmore = 1\n[choices]\n",
        "= =", "kernel = \"k\"\nname = \"n\"\nprofile = \"p\"\n[choices]\na = 1\n"}) {
    BOOST_CHECK_THROW(ParseContract(text, "t"), ConfigError);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace samebits::golden
