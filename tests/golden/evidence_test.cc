// Evidence is read as it was written, is the same whatever the order of the run, and any bit of it
// that is not the model's is named.
#include "golden/evidence.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <functional>

#include "golden/check.h"
#include "golden/contract_text.h"
#include "golden/evidence_file.h"
#include "golden/integrity_error.h"
#include "golden/matrix.h"
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

constexpr char kMatrix[] =
    "kernel = \"fake\"\nseed = 3\nstyles = [\"realistic\", \"wide\"]\n"
    "[[block]]\naxes = { rows = [2, 4], columns = [7, 50] }\n";

EvidenceInfo Info() {
  EvidenceInfo info;
  info.tool_version = "0.1.0";
  info.commit = "0123456789ab";
  info.kernel = "fake";
  info.contract = Fake().NamedContract("");
  info.device = "NVIDIA H200";
  info.architecture = "sm_90";
  info.driver = "580.1";
  info.runtime = "CUDA 13.0";
  info.taps = true;
  info.repeat = 3;
  info.ctas = 7;
  info.matrix = kMatrix;
  return info;
}

std::vector<CaseSpec> Cases() { return ParseMatrix(kMatrix, "matrix", Fake()); }

std::string Id(size_t c) { return CaseId(Cases()[c], ContractHash(Info().contract)); }

TensorSet Results(size_t c, const Contract& contract, bool taps = true) {
  TensorSet results;
  for (Tensor& tensor : ComputeCase(Cases()[c], contract, taps, 1).tensors) {
    if (tensor.spec.role != Role::kInput) results.tensors.push_back(std::move(tensor));
  }
  return results;
}

void Add(size_t c, EvidenceBuilder* builder) {
  builder->Add(Id(c), {c < 4 ? "small" : "large", "00ff"}, Verdict::kIdentical,
               Results(c, Info().contract));
}

Evidence Made() {
  EvidenceBuilder builder(Info(), Fake());
  for (size_t c = 0; c < Cases().size(); ++c) Add(c, &builder);
  return builder.Finish();
}

CheckReport Checked(const Evidence& evidence, bool recompute) {
  const TemporaryFolder folder;
  WriteEvidence(folder / "e.h5", evidence);
  return Check(folder / "e.h5", FindFake, {recompute, 2, {}});
}

/// The only finding.
Finding Found(const Evidence& evidence, bool recompute = false) {
  const CheckReport report = Checked(evidence, recompute);
  BOOST_TEST_REQUIRE(report.findings.size() == 1u);
  return report.findings[0];
}

}  // namespace

BOOST_AUTO_TEST_SUITE(evidence)

BOOST_AUTO_TEST_CASE(what_was_written_is_read) {
  const TemporaryFolder folder;
  const Evidence made = Made();
  WriteEvidence(folder / "e.h5", made);
  BOOST_TEST(IsEvidence(folder / "e.h5"));
  BOOST_TEST(
      (made.tensors == std::vector<std::string>{"taps/product", "outputs/y", "outputs/state"}));
  BOOST_TEST_REQUIRE(made.cases.size() == 8u);
  BOOST_TEST(made.cases[5].hashes[1] ==
             HashHex(Results(5, made.info.contract).At(Role::kOutput, "y")));
  BOOST_TEST((made.binaries == std::vector<KernelBinary>{{"small", "00ff"}, {"large", "00ff"}}));
  for (const bool recompute : {false, true}) {
    const CheckReport report = Checked(made, recompute);
    BOOST_TEST(report.findings.empty());
    BOOST_TEST(report.cases == 8u);
    BOOST_TEST(report.tensors == 24u);
  }
}

/// Evidence of one device has no such attribute, so that older files are still read.
BOOST_AUTO_TEST_CASE(the_number_of_devices_is_kept) {
  const TemporaryFolder folder;
  Evidence made = Made();
  for (const int64_t devices : {1, 2, 8}) {
    made.info.devices = devices;
    WriteEvidence(folder / "e.h5", made, true);
    BOOST_TEST((ReadEvidence(folder / "e.h5") == made));
    const std::vector<std::string> names = OpenSealed(folder / "e.h5").Root().Attributes();
    BOOST_TEST(std::ranges::count(names, "devices") == (devices == 1 ? 0 : 1));
  }
}

/// What reading a sealed file says of it; "" if it is read.
std::string Refusal(const std::string& path) {
  try {
    ReadEvidence(path);
    return "";
  } catch (const IntegrityError& error) {
    return error.what();
  }
}

BOOST_AUTO_TEST_CASE(a_number_of_devices_that_cannot_be_is_refused) {
  const TemporaryFolder folder;
  const std::string path = folder / "e.h5", place = path + ": /: attribute devices: ";
  Evidence made = Made();
  made.info.devices = 64;
  WriteEvidence(path, made);
  BOOST_TEST(Refusal(path) == "");
  for (const int64_t devices : {INT64_MIN, int64_t{-2}, int64_t{0}, int64_t{65}, INT64_MAX}) {
    made.info.devices = devices;
    WriteEvidence(path, made, true);
    BOOST_TEST(Refusal(path) == place + "expected 1..64, found " + std::to_string(devices));
  }
}

BOOST_AUTO_TEST_CASE(a_number_of_devices_of_another_type_is_refused) {
  const TemporaryFolder folder;
  const std::string path = folder / "e.h5", place = path + ": /: attribute devices: ";
  const std::function<void(H5Node*)> types[] = {
      [](H5Node* root) { root->SetText("devices", "2"); },
      [](H5Node* root) { root->SetUnsigned("devices", 2); }};
  for (const auto& set : types) {
    WriteEvidence(path, Made(), true);
    {
      const H5Id file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT));
      H5Node root(path, "/", H5Id(H5Gopen2(file.get(), "/", H5P_DEFAULT)));
      set(&root);
    }
    WriteSeal(path);
    BOOST_TEST(Refusal(path) == place + "expected a 64-bit signed integer");
  }
}

BOOST_AUTO_TEST_CASE(equal_runs_give_equal_bytes_whatever_their_order) {
  const TemporaryFolder folder;
  EvidenceBuilder builder(Info(), Fake());
  for (size_t c = Cases().size(); c-- > 0;) Add(c, &builder);
  WriteEvidence(folder / "a", Made());
  WriteEvidence(folder / "b", builder.Finish());
  BOOST_TEST((FileBytes(folder / "a") == FileBytes(folder / "b")));
  BOOST_TEST(!std::filesystem::exists(folder / "a.writing"));
}

BOOST_AUTO_TEST_CASE(an_existing_file_is_kept_without_force) {
  const TemporaryFolder folder;
  WriteBytes(folder / "a", "precious");
  BOOST_CHECK_THROW(WriteEvidence(folder / "a", Made()), ConfigError);
  BOOST_TEST(FileBytes(folder / "a") == "precious");
  WriteEvidence(folder / "a", Made(), true);
  BOOST_TEST(IsEvidence(folder / "a"));
  BOOST_CHECK_THROW(WriteEvidence(folder / "none" + "/a", Made()), StorageError);
}

BOOST_AUTO_TEST_CASE(only_cases_of_the_matrix_and_each_once) {
  EvidenceBuilder builder(Info(), Fake());
  BOOST_TEST(builder.empty());
  Add(2, &builder);
  BOOST_CHECK_THROW(Add(2, &builder), std::invalid_argument);
  BOOST_CHECK_THROW(builder.Add(std::string(32, 'a'), {}, Verdict::kIdentical, {}), ConfigError);
  BOOST_TEST(Checked(builder.Finish(), true).findings.empty());
}

/// One flipped bit of any hash is found at its case and tensor, and nowhere else.
BOOST_AUTO_TEST_CASE(a_flipped_bit_of_any_hash_is_found_where_it_is) {
  const Evidence made = Made();
  for (size_t d = 0; d < 32; ++d) {  // every digit, and every pair of case and tensor
    const size_t c = d % made.cases.size(), t = d % made.tensors.size();
    Evidence changed = made;
    char& digit = changed.cases[c].hashes[t][d];
    digit = "1032547698badcfe"[std::stoi(std::string(1, digit), nullptr, 16)];  // its lowest bit
    BOOST_TEST(Checked(changed, false).findings.empty());
    const Finding finding = Found(changed, true);
    BOOST_TEST((finding.kind == Finding::Kind::kResult));
    BOOST_TEST(finding.place == "cases/" + Id(c) + "/" + made.tensors[t]);
  }
}

BOOST_AUTO_TEST_CASE(bits_of_another_contract_are_found) {
  Contract other = Info().contract;
  other.choices["contract"] = "separate";
  EvidenceBuilder builder(Info(), Fake());
  builder.Add(Id(7), {}, Verdict::kDivergent, Results(7, other));
  const CheckReport report = Checked(builder.Finish(), true);
  BOOST_TEST_REQUIRE(!report.findings.empty());
  for (const Finding& finding : report.findings) {
    BOOST_TEST((finding.kind == Finding::Kind::kResult));
    BOOST_TEST(finding.place.starts_with("cases/" + Id(7) + "/outputs/"));
  }
}

BOOST_AUTO_TEST_CASE(a_run_that_was_not_identical_is_no_evidence_for_the_model) {
  for (const Verdict verdict : {Verdict::kDivergent, Verdict::kVaries}) {
    Evidence changed = Made();
    changed.cases[3].verdict = verdict;
    BOOST_TEST(Checked(changed, false).findings.empty());
    const Finding finding = Found(changed, true);
    BOOST_TEST(finding.place == "cases/" + Id(3));
    BOOST_TEST(finding.expected.ends_with(Name(verdict)));
  }
}

BOOST_AUTO_TEST_CASE(wrong_structure_is_found_although_sealed) {
  Evidence changed = Made();
  changed.cases[1].hashes[1].clear();
  BOOST_TEST(Found(changed).place == "cases/" + Id(1) + "/outputs/y");
  BOOST_TEST(Found(changed).expected == "missing");
  changed = Made();
  changed.info.taps = false;
  BOOST_TEST(Checked(changed, true).findings.size() == 8u);  // every tap is one too many
  changed = Made();
  changed.tensors[0] = "taps/quotient";
  BOOST_TEST(Checked(changed, true).findings.size() == 16u);
  changed = Made();
  std::swap(changed.cases[1], changed.cases[2]);
  BOOST_TEST(Found(changed).expected.find(Id(1)) != std::string::npos);
  changed = Made();
  changed.cases[1] = changed.cases[0];
  BOOST_TEST(Found(changed).expected.find(Id(0)) != std::string::npos);
  changed = Made();
  changed.info.contract.choices["contract"] = "separate";  // other ids
  BOOST_TEST(Found(changed).expected.find(Id(0)) != std::string::npos);
  changed = Made();
  changed.info.matrix = "kernel = \"fake\"\n";
  BOOST_TEST(Found(changed).expected.find("block") != std::string::npos);
  changed = Made();
  changed.cases[4].binary = 2;
  BOOST_TEST(Found(changed).place == "case_kernel");
  changed = Made();
  changed.cases[4].verdict = static_cast<Verdict>(3);
  BOOST_TEST(Found(changed).place == "verdict");
  changed = Made();
  changed.info.kernel = changed.info.contract.kernel = "unknown";
  BOOST_TEST(Found(changed).expected.find("unknown") != std::string::npos);
  changed = Made();
  changed.info.repeat = 0;
  BOOST_TEST(Found(changed).expected.find("repeat") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(every_damaged_byte_breaks_the_seal) {
  const TemporaryFolder folder;
  WriteEvidence(folder / "e.h5", Made());
  const std::string whole = FileBytes(folder / "e.h5");
  for (size_t at = 0; at < whole.size(); at += 61) {
    std::string damaged = whole;
    damaged[at] ^= static_cast<char>(1 << at % 8);
    WriteBytes(folder / "d.h5", damaged);
    BOOST_CHECK_THROW(ReadEvidence(folder / "d.h5"), IntegrityError);
  }
  WriteBytes(folder / "d.h5", whole.substr(0, whole.size() - 100));
  const CheckReport report = Check(folder / "d.h5", FindFake);
  BOOST_TEST_REQUIRE(!report.findings.empty());
  BOOST_TEST(report.findings[0].place == "seal");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace samebits::golden
