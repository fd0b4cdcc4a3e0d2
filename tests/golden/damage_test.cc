// Every kind of damage to a file is reported, with its place, and never read as data.
#include <hdf5.h>

#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <filesystem>
#include <functional>

#include "golden/check.h"
#include "golden/generate.h"
#include "golden/hdf5.h"
#include "golden/integrity_error.h"
#include "golden/posix_file.h"
#include "golden/reader.h"
#include "golden/seal.h"
#include "tests/golden/fake_kernel.h"
#include "tests/golden/temporary_folder.h"

namespace samebits::golden {
namespace {

using testing::Fake;
using testing::FileBytes;
using testing::FindFake;
using testing::TemporaryFolder;
using testing::WriteBytes;

void Make(const std::string& path, Store store) {
  FileInfo info;
  info.store = store;
  info.kernel = "fake";
  info.taps = true;
  info.tool_version = "0.1.0";
  info.commit = "0123456789ab";
  info.contract = Fake().NamedContract("");
  Generate(path, info, {{&Fake(), Fake().Complete({}), "realistic", 11}}, {});
}

bool Throws(const std::string& path) {
  try {
    const Reader reader(path);
  } catch (const IntegrityError&) {
    return true;
  }
  return false;
}

/// Changes the HDF5 part with the HDF5 library, and seals it again: what a forger would do.
CheckReport Edited(const std::string& original, const std::string& path,
                   const std::function<void(hid_t)>& edit) {
  const H5Silence silence;
  std::filesystem::copy_file(original, path, std::filesystem::copy_options::overwrite_existing);
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  edit(file);
  H5Fclose(file);
  WriteSeal(path);
  return Check(path, FindFake);
}

void SetText(hid_t object, const char* name, const std::string& value) {
  H5Adelete(object, name);
  const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
  H5Tset_size(type, value.size());
  H5Tset_cset(type, H5T_CSET_UTF8);
  H5Tset_strpad(type, H5T_STR_NULLPAD);
  const hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  H5Awrite(attribute, type, value.data());
  H5Aclose(attribute);
  H5Sclose(space);
  H5Tclose(type);
}

void SetInteger(hid_t object, const char* name, int64_t value) {
  H5Adelete(object, name);
  const hid_t space = H5Screate(H5S_SCALAR);
  const hid_t attribute = H5Acreate2(object, name, H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT);
  H5Awrite(attribute, H5T_STD_I64LE, &value);
  H5Aclose(attribute);
  H5Sclose(space);
}

std::string First(const CheckReport& report) {
  return report.findings.empty() ? "nothing"
                                 : report.findings[0].place + ": " + report.findings[0].expected;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(damage)

/// No flipped bit is ever read as data; a sample of them goes through the whole check, which says
/// where the damage is.
BOOST_AUTO_TEST_CASE(every_single_flipped_bit_is_reported) {
  const TemporaryFolder folder;
  for (const Store store : {Store::kFull, Store::kHashes}) {
    Make(folder / "a", store);
    const std::string whole = FileBytes(folder / "a");
    size_t unnoticed = 0, unchecked = 0, checked = 0, located = 0;
    PosixFile file(folder / "a", PosixFile::Mode::kReadWrite);
    for (size_t i = 0; i < whole.size(); ++i) {
      const std::byte damaged = static_cast<std::byte>(whole[i] ^ (1 << (i * 5 % 8)));
      file.WriteAt(static_cast<int64_t>(i), std::span(&damaged, 1));
      unnoticed += CheckSeal(folder / "a").verdict == SealCheck::Verdict::kIntact;
      if (i % 29 == 0) {
        const CheckReport report = Check(folder / "a", FindFake);
        ++checked;
        unchecked += report.findings.empty() || !Throws(folder / "a");
        located += report.findings.size() > 1;
      }
      file.WriteAt(static_cast<int64_t>(i), std::as_bytes(std::span(whole)).subspan(i, 1));
    }
    BOOST_TEST((CheckSeal(folder / "a").verdict == SealCheck::Verdict::kIntact));
    BOOST_TEST(unnoticed == 0u);
    BOOST_TEST(unchecked == 0u);
    BOOST_TEST(located > checked / 4);
    std::filesystem::remove(folder / "a");
  }
}

BOOST_AUTO_TEST_CASE(every_truncation_and_extension_is_reported) {
  const TemporaryFolder folder;
  Make(folder / "a", Store::kFull);
  const std::string whole = FileBytes(folder / "a");
  for (size_t size = 0; size < whole.size(); size += size < 600 ? 1 : 61) {
    WriteBytes(folder / "b", whole.substr(0, size));
    const CheckReport report = Check(folder / "b", FindFake);
    BOOST_TEST_REQUIRE(!report.findings.empty());
    BOOST_TEST(report.findings[0].place == "seal");
    BOOST_TEST(Throws(folder / "b"));
    if (size > 520) {
      BOOST_TEST(report.findings[0].expected == "expected " + std::to_string(whole.size()) +
                                                    " bytes, found " + std::to_string(size));
    }
  }
  WriteBytes(folder / "b", whole + '\0');
  BOOST_TEST(Throws(folder / "b"));
}

BOOST_AUTO_TEST_CASE(foreign_and_newer_files_are_named) {
  const TemporaryFolder folder;
  WriteBytes(folder / "b", "not a dataset");
  BOOST_TEST(First(Check(folder / "b", FindFake)) ==
             "seal: expected a file that samebits wrote (\"samebits-file 1\" first)");
  const hid_t file = H5Fcreate((folder / "c").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  H5Fclose(file);
  BOOST_TEST(First(Check(folder / "c", FindFake)).starts_with("seal: expected a file that"));
  BOOST_TEST(Throws(folder / "c"));
  Make(folder / "a", Store::kFull);
  std::string bytes = FileBytes(folder / "a");
  bytes.replace(0, 15, "samebits-file 2");
  WriteBytes(folder / "b", bytes);
  BOOST_TEST(First(Check(folder / "b", FindFake)) ==
             "seal: expected version 1 of the seal, found 2");
  BOOST_CHECK_THROW(Check(folder / "none", FindFake), ConfigError);
  BOOST_TEST(First(Check(folder / "a", [](std::string_view) -> const Kernel* {
               return nullptr;
             })) == "attribute kernel: expected a kernel of this build, found fake");
}

BOOST_AUTO_TEST_CASE(edits_are_found_although_sealed_again) {
  const TemporaryFolder folder;
  const std::string a = folder / "a", b = folder / "b";
  Make(a, Store::kFull);
  const std::string id = Reader(a).cases()[0].id, group = "cases/" + id;
  const auto edited = [&](const std::function<void(hid_t)>& edit) {
    return First(Edited(a, b, edit));
  };
  const auto on = [&](const std::string& path, const std::function<void(hid_t)>& edit) {
    return edited([&](hid_t file) {
      const hid_t object = H5Oopen(file, path.c_str(), H5P_DEFAULT);
      edit(object);
      H5Oclose(object);
    });
  };
  BOOST_TEST(edited([](hid_t) {}) == "nothing");
  BOOST_TEST(on("/", [](hid_t o) { SetText(o, "schema", "other"); }) ==
             "/: attribute schema: expected samebits-golden or samebits-observed, found \"other\"");
  BOOST_TEST(on("/", [](hid_t o) { SetInteger(o, "schema_version", 2); }) ==
             "/: attribute schema_version: expected 1, found 2 (written by a newer samebits)");
  BOOST_TEST(on("/", [](hid_t o) { H5Adelete(o, "profile"); }) ==
             "/: attribute profile is missing");
  BOOST_TEST(on("/", [](hid_t o) {
               SetText(o, "commit", "x");
             }).starts_with("attribute digest: expected "));
  BOOST_TEST(on("/", [](hid_t o) { SetText(o, "more", "x"); }) ==
             "/: attribute more is not part of the schema");
  BOOST_TEST(on(group, [](hid_t o) { SetInteger(o, "seed", 12); }) ==
             group + ": attribute seed: expected a 64-bit unsigned integer");
  BOOST_TEST(on(group, [](hid_t o) {
               SetInteger(o, "rows", 4);
             }).starts_with(group + ": expected the id "));
  BOOST_TEST(on(group, [](hid_t o) {
               SetInteger(o, "index", 3);
             }).starts_with(group + ": attribute digest: expected "));
  BOOST_TEST(edited([&](hid_t f) { H5Ldelete(f, (group + "/outputs/y").c_str(), H5P_DEFAULT); }) ==
             group + "/outputs: tensor y is missing");
  BOOST_TEST(edited([&](hid_t f) {
               H5Lcreate_hard(f, (group + "/outputs/y").c_str(), f, (group + "/outputs/z").c_str(),
                              H5P_DEFAULT, H5P_DEFAULT);
             }) == group + "/outputs: tensor z is not part of the schema");
  BOOST_TEST(edited([&](hid_t f) {
               H5Lcreate_external("/etc/hostname", "/", f, "cases/x", H5P_DEFAULT, H5P_DEFAULT);
             }) == "cases: x: expected a hard link");
  BOOST_TEST(edited([&](hid_t f) {
               H5Ldelete(f, group.c_str(), H5P_DEFAULT);
             }).starts_with("attribute digest: expected "));
  BOOST_TEST(on(group + "/outputs/y", [](hid_t o) { SetText(o, "dtype", "f16"); }) ==
             group + "/outputs/y: attribute dtype: expected \"bf16\", found \"f16\"");
  BOOST_TEST(on(group + "/outputs/y", [](hid_t o) {
               uint16_t values[10] = {};
               H5Dwrite(o, H5T_STD_U16LE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
             }).starts_with(group + "/outputs/y: expected values with XXH3-128 "));
  BOOST_TEST(edited([&](hid_t f) {
               const std::string path = group + "/outputs/y";
               H5Ldelete(f, path.c_str(), H5P_DEFAULT);
               const hsize_t extents[2] = {2, 5};
               const hid_t space = H5Screate_simple(2, extents, nullptr);
               const hid_t dataset = H5Dcreate2(f, path.c_str(), H5T_STD_I16LE, space, H5P_DEFAULT,
                                                H5P_DEFAULT, H5P_DEFAULT);
               SetText(dataset, "dtype", "bf16");
               SetText(dataset, "dims", "rows,columns");
               const CaseEntry entry = Reader(a).cases()[0];
               SetText(dataset, "xxh3", entry.Find(Role::kOutput, "y")->xxh3);
               H5Dclose(dataset);
               H5Sclose(space);
             }) == group + "/outputs/y: expected elements of 16 bits stored for bf16");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace samebits::golden
