// The model equals what an H200 computed, and its neighbours do not.
#include <boost/test/unit_test.hpp>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "model/profiles/matrix_units.h"
#include "model/units/matrix_unit_packed.h"
#include "tests/silicon.h"

namespace samebits {
namespace {

using units::MatrixUnit;

constexpr int kN = 8, kK = 16;
const std::string kFolder = "data/silicon/sm_90/";

const MatrixUnit& Unit(const char* name) { return profiles::FindMatrixUnit(name)->unit; }

/// Recorded D = A B + C, B transposed to [case][n][k].
struct Recording {
  int m;
  std::vector<uint16_t> a, b;
  std::vector<uint32_t> c, d;
  int64_t cases() const { return static_cast<int64_t>(d.size()) / (m * kN); }
};

Recording Load(const std::string& group, int m) {
  const std::string file = kFolder + "matrix_unit.h5";
  Recording r{m, testing::ReadSilicon<uint16_t>(file, group + "/a"),
              testing::ReadSilicon<uint16_t>(file, group + "/b"),
              testing::ReadSilicon<uint32_t>(file, group + "/c"),
              testing::ReadSilicon<uint32_t>(file, group + "/d")};
  std::vector<uint16_t> transposed(r.b.size());
  for (size_t i = 0; i < r.b.size(); ++i) {
    const size_t base = i / (kN * kK) * (kN * kK), k = i / kN % kK, n = i % kN;
    transposed[base + n * kK + k] = r.b[i];
  }
  r.b = std::move(transposed);
  return r;
}

int64_t DifferentByDot(const MatrixUnit& unit, const Recording& r) {
  int64_t different = 0;
  for (size_t i = 0; i < r.d.size(); ++i) {
    const uint16_t* a = r.a.data() + i / kN * kK;
    const uint16_t* b = r.b.data() + (i / (r.m * kN) * kN + i % kN) * kK;
    different += arith::ToBits(Dot(unit, a, b, kK, arith::FromBits(r.c[i]))) != r.d[i];
  }
  return different;
}

int64_t DifferentByGemm(const MatrixUnit& unit, const Recording& r) {
  int64_t different = 0;
  const int size = r.m * kN;
  std::vector<float> c(size), d(size), packed(size);
  for (int64_t i = 0; i < r.cases(); ++i) {
    for (int x = 0; x < size; ++x) c[x] = arith::FromBits(r.c[i * size + x]);
    const uint16_t* a = r.a.data() + i * r.m * kK;
    const uint16_t* b = r.b.data() + i * kN * kK;
    Gemm(unit, {r.m, kN, kK}, a, kK, b, kK, c.data(), kN, d.data(), kN);
    Gemm(unit, units::PackedMatrix(a, kK, r.m, kK), kN, b, kK, c.data(), {kN, 1}, packed.data(),
         {kN, 1});
    for (int x = 0; x < size; ++x) {
      const uint32_t expected = r.d[i * size + x];
      different += arith::ToBits(d[x]) != expected || arith::ToBits(packed[x]) != expected;
    }
  }
  return different;
}

/// One line of matrix_unit_corner_cases.txt.
struct CornerCase {
  std::string name;
  uint32_t c = 0, mma = 0, wgmma = 0, wgmma_no_c = 0;
  std::vector<uint16_t> a = std::vector<uint16_t>(kK, 0), b = std::vector<uint16_t>(kK, 0);
};

uint32_t Hex(const std::string& text) {
  return static_cast<uint32_t>(std::stoul(text, nullptr, 16));
}

CornerCase Parse(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream stream(line);
  for (std::string field; std::getline(stream, field, '|');) fields.push_back(field);
  CornerCase corner;
  corner.name = fields.at(0);
  corner.c = Hex(fields.at(1).substr(fields.at(1).find('=') + 1));
  std::istringstream pairs(fields.at(2));
  int k = 0;
  for (std::string pair; pairs >> pair; ++k) {
    corner.a.at(k) = static_cast<uint16_t>(Hex(pair.substr(0, 4)));
    corner.b.at(k) = static_cast<uint16_t>(Hex(pair.substr(5)));
  }
  std::istringstream results(fields.at(3));
  std::string word, mma, wgmma, no_c;
  results >> word >> mma >> word >> wgmma >> word >> word >> no_c;
  corner.mma = Hex(mma);
  corner.wgmma = Hex(wgmma);
  corner.wgmma_no_c = Hex(no_c);
  return corner;
}

std::vector<CornerCase> CornerCases() {
  std::ifstream file(kFolder + "matrix_unit_corner_cases.txt");
  std::vector<CornerCase> cases;
  for (std::string line; std::getline(file, line);) cases.push_back(Parse(line));
  return cases;
}

using DotFunction =
    std::function<float(const MatrixUnit&, const uint16_t*, const uint16_t*, float)>;

int DifferentCorners(const MatrixUnit& mma, const MatrixUnit& wgmma, const DotFunction& dot) {
  int different = 0;
  for (const CornerCase& corner : CornerCases()) {
    const auto check = [&](const MatrixUnit& unit, uint32_t c, uint32_t expected) {
      const float d = dot(unit, corner.a.data(), corner.b.data(), arith::FromBits(c));
      if (arith::ToBits(d) == expected) return;
      ++different;
      BOOST_TEST_MESSAGE(corner.name << ": " << std::hex << arith::ToBits(d) << ", recorded "
                                     << expected);
    };
    check(mma, corner.c, corner.mma);
    check(wgmma, corner.c, corner.wgmma);
    check(wgmma, 0, corner.wgmma_no_c);
  }
  return different;
}

float ByDot(const MatrixUnit& unit, const uint16_t* a, const uint16_t* b, float c) {
  return Dot(unit, a, b, kK, c);
}

float ByGemm(const MatrixUnit& unit, const uint16_t* a, const uint16_t* b, float c) {
  float d = -1;
  Gemm(unit, {1, 1, kK}, a, kK, b, kK, &c, 1, &d, 1);
  return d;
}

MatrixUnit With(const std::function<void(MatrixUnit&)>& change) {
  MatrixUnit unit = Unit("sm_90.mma_sync");
  change(unit);
  unit.validate();
  return unit;
}

BOOST_AUTO_TEST_SUITE(matrix_unit_silicon)

BOOST_AUTO_TEST_CASE(mma_sync_equals_the_recording) {
  const Recording r = Load("mma.sync.m16n8k16", 16);
  BOOST_TEST_REQUIRE(r.d.size() == 384000u);
  BOOST_TEST(DifferentByDot(Unit("sm_90.mma_sync"), r) == 0);
  BOOST_TEST(DifferentByGemm(Unit("sm_90.mma_sync"), r) == 0);
}

BOOST_AUTO_TEST_CASE(wgmma_equals_the_recording) {
  const Recording r = Load("wgmma.m64n8k16", 64);
  BOOST_TEST_REQUIRE(r.d.size() == 512000u);
  BOOST_TEST(DifferentByDot(Unit("sm_90.wgmma"), r) == 0);
  BOOST_TEST(DifferentByGemm(Unit("sm_90.wgmma"), r) == 0);
}

BOOST_AUTO_TEST_CASE(corner_cases_equal_the_recording) {
  BOOST_TEST_REQUIRE(CornerCases().size() == 172u);
  const MatrixUnit &mma = Unit("sm_90.mma_sync"), &wgmma = Unit("sm_90.wgmma");
  BOOST_TEST(DifferentCorners(mma, wgmma, ByDot) == 0);
  BOOST_TEST(DifferentCorners(mma, wgmma, ByGemm) == 0);
}

BOOST_AUTO_TEST_CASE(other_settings_differ_from_the_recording) {
  const Recording r = Load("mma.sync.m16n8k16", 16);
  const auto different = [&](const std::function<void(MatrixUnit&)>& change) {
    return DifferentByDot(With(change), r);
  };
  BOOST_TEST(different([](MatrixUnit& u) { u.fraction_bits = 24; }) > 0);
  BOOST_TEST(different([](MatrixUnit& u) { u.fraction_bits = 26; }) > 0);
  BOOST_TEST(different([](MatrixUnit& u) { u.products_per_block = 8; }) > 0);
  BOOST_TEST(different([](MatrixUnit& u) { u.rounding = units::Rounding::kNearestEven; }) > 0);
  for (const auto& profile : profiles::MatrixUnits()) {
    const bool equal = profile.unit == Unit("sm_90.mma_sync");
    BOOST_TEST((DifferentByDot(profile.unit, r) == 0) == equal, profile.name);
  }
}

BOOST_AUTO_TEST_CASE(other_settings_differ_from_the_corner_cases) {
  const auto different = [](const std::function<void(MatrixUnit&)>& change) {
    return DifferentCorners(With(change), With(change), ByDot);
  };
  BOOST_TEST(different([](MatrixUnit& u) { u.exponent_floor = -132; }) > 0);
  BOOST_TEST(different([](MatrixUnit& u) { u.exponent_floor = -134; }) > 0);
  BOOST_TEST(different([](MatrixUnit& u) { u.keep_underflow_sign = true; }) > 0);
  BOOST_TEST(different([](MatrixUnit& u) { u.product_overflow = true; }) > 0);
  BOOST_TEST(different([](MatrixUnit& u) { u.nan_bits = 0x7FC00000u; }) > 0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace samebits
