// The probe lists of matrix_units.md, sections 4.1, 4.3 and 7: dot products that tell units apart.
#include <array>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/contract.h"
#include "model/profiles/matrix_units.h"

namespace samebits {
namespace {

using units::MatrixUnit;

const MatrixUnit& Unit(const std::string& name) { return profiles::FindMatrixUnit(name)->unit; }
double P2(int e) { return std::ldexp(1.0, e); }

uint16_t ToBf16(double x) {
  const uint32_t bits = arith::ToBits(static_cast<float>(x));
  BOOST_REQUIRE(static_cast<double>(arith::FromBits(bits & 0xFFFF0000u)) == x);
  return static_cast<uint16_t>(bits >> 16);
}

using Factors = std::pair<double, double>;

/// A product of that value.
Factors P(double value) {
  int e = 0;
  const double m = std::frexp(value, &e);
  return {std::ldexp(m, e / 2), P2(e - e / 2)};
}

uint32_t Dot(const MatrixUnit& unit, const std::vector<Factors>& products, double c) {
  std::vector<uint16_t> a, b;
  for (const auto& [x, y] : products) {
    a.push_back(ToBf16(x));
    b.push_back(ToBf16(y));
  }
  const int k = static_cast<int>(a.size());
  return arith::ToBits(units::Dot(unit, a.data(), b.data(), k, static_cast<float>(c)));
}

struct Probe {
  const char* tag;
  std::vector<Factors> products;
  double c;
  uint32_t hopper, ampere, cdna3;
  std::vector<std::pair<const char*, uint32_t>> others;
};

/// +-2^120 (or nothing: 0 <= i < k) at i and j, 2^-24 elsewhere.
std::vector<Factors> Mask(int k, int i, int j, double rest = P2(-24), double big = P2(120)) {
  std::vector<Factors> products(k, P(rest));
  if (i >= 0) products[i] = P(big);
  if (j >= 0) products[j] = P(-big);
  return products;
}

std::vector<Probe> Probes() {
  constexpr uint32_t kNan = arith::kNanBits;
  const double fmax = std::ldexp(16777215.0, 104);
  return {
      {"Fprod_25", {P(P2(14)), P(-P2(14)), P(P2(-11))}, 0, 0x3A000000, 0, 0, {}},
      {"Fc_25", {P(P2(14)), P(-P2(14))}, P2(-11), 0x3A000000, 0, 0, {}},
      {"FcN_30",
       {P(P2(14)), P(-P2(14))},
       -P2(-16),
       0,
       0,
       0xBA800000,
       {{"reference.exact_rn", 0xB7800000},
        {"gfx90a.mfma_bf16_1k", 0xB7800000},
        {"gfx950.late_16", 0xBA800000}}},
      {"4.1 with c > 0", {P(P2(14)), P(-P2(14))}, P2(-16), 0, 0, 0, {}},
      {"trunc_24_n",
       {P(P2(14)), P(-P2(14)), P(-1.5 * P2(-10))},
       0,
       0xBAC00000,
       0xBA800000,
       0xBA800000,
       {}},
      {"pnorm_25", {{1.5, 1.5}, {-1.5, 1.5}, P(P2(-25))}, 0, 0x33000000, 0, 0, {}},
      {"subn_26", {{P2(-133), P2(100)}, {-P2(-66), P2(33)}, P(P2(-52))}, 0, 0, 0, 0, {}},
      {"outr", {P(P2(-24))}, 1 + P2(-23), 0x3F800001, 0x3F800001, 0x3F800002, {}},
      {"join_26_16_p",
       std::vector<Factors>(16, P(1.5 * P2(-26))),
       1,
       0x3F800000,
       0x3F800000,
       0x3F800004,
       {{"gfx950.late_16", 0x3F800003}}},
      {"mask_1_0",
       Mask(16, 1, 0),
       P2(-24),
       0,
       0x35000000,
       0x35000000,
       {{"reference.sequential_fma", 0x35600000}}},
      {"maskc_0", Mask(16, -1, 0), P2(120), 0, 0x35000000, 0x35000000, {}},
      {"lsb25", Mask(16, 1, 0, P2(-11), P2(14)), P2(-11), 0x3BF00000, 0x3B800000, 0x3B800000, {}},
      {"sub_pass",
       {{P2(-133), 1}},
       0,
       0x00010000,
       0x00010000,
       0x00010000,
       {{"gfx90a.mfma_bf16_1k", 0}, {"gfx90a.mfma_bf16", 0}}},
      {"sub_c", {}, P2(-149), 1, 1, 1, {{"gfx90a.mfma_bf16_1k", 0}, {"gfx908.mfma_bf16", 1}}},
      {"ov_cancel", {P(P2(128)), P(-P2(128)), P(1)}, 0, 0, 0, kNan, {}},
      {"ov_max_103", {P(P2(103))}, fmax, 0x7F7FFFFF, 0x7F7FFFFF, 0x7F800000, {}},
      {"ov_max_104", {P(P2(104))}, fmax, 0x7F800000, 0x7F800000, 0x7F800000, {}},
      {"eq10",
       {P(-P2(23)), P(-0.5), P(-0.25), P(-0.125)},
       P2(23),
       0xBF400000,
       0xBF000000,
       0xBF000000,
       {{"gfx908.mfma_bf16", 0xBF600000},
        {"reference.exact_rn", 0xBF600000},
        {"reference.sequential_fma", 0xBF600000},
        {"gfx90a.mfma_bf16_1k", 0}}},
      {"f2_31",
       {P(P2(-24)), P(P2(-31))},
       1,
       0x3F800000,
       0x3F800000,
       0x3F800001,
       {{"reference.exact_rn", 0x3F800001}}},
      {"f2_32",
       {P(P2(-24)), P(P2(-32))},
       1,
       0x3F800000,
       0x3F800000,
       0x3F800000,
       {{"reference.exact_rn", 0x3F800001}}},
      {"f2_40_3f800002_n",
       {P(-P2(-24)), P(-P2(-40))},
       1 + P2(-22),
       0x3F800001,
       0x3F800001,
       0x3F800001,
       {}},
      {"guard_32_3f800000_p_1.0",
       {P(-1.5 * P2(-24)), P(P2(-32))},
       1,
       0x3F7FFFFE,
       0x3F7FFFFF,
       0x3F7FFFFF,
       {}},
  };
}

BOOST_AUTO_TEST_SUITE(matrix_unit_probes)

BOOST_AUTO_TEST_CASE(section_7) {
  for (const Probe& probe : Probes()) {
    std::vector<Factors> products = probe.products;
    products.resize(16, {0, 0});
    const auto check = [&](const std::string& name, uint32_t expected) {
      const uint32_t d = Dot(Unit(name), products, probe.c);
      BOOST_TEST(d == expected,
                 probe.tag << " on " << name << std::hex << ": " << d << ", expected " << expected);
    };
    for (const char* name :
         {"sm_90.mma_sync", "sm_90.wgmma", "sm_100.mma_sync", "sm_100.tcgen05"}) {
      check(name, probe.hopper);
    }
    check("sm_80.mma_sync", probe.ampere);
    check("gfx942.mfma_16x16x16", probe.cdna3);
    check("gfx942.mfma_32x32x8", probe.cdna3);
    for (const auto& [name, expected] : probe.others) check(name, expected);
  }
}

BOOST_AUTO_TEST_CASE(section_7_exponent_floor) {
  for (int j = 152; j <= 170; ++j) {
    const std::vector<Factors> products = {P(P2(-149)), P(-P2(-j))};
    BOOST_TEST(Dot(Unit("sm_90.mma_sync"), products, 0) == (j >= 159 ? 1u : 0u));
    BOOST_TEST(Dot(Unit("sm_80.mma_sync"), products, 0) == (j >= 157 ? 1u : 0u));
    BOOST_TEST(Dot(Unit("gfx942.mfma_16x16x16"), products, 0) == 1u);
  }
}

// The guard bit on which the published models of CDNA3 differ (section 4.1).
BOOST_AUTO_TEST_CASE(section_4_1_guard_bit) {
  const std::vector<Factors> products = {P(-1.5 * P2(-24)), P(P2(-32))};
  MatrixUnit unit = Unit("gfx942.mfma_32x32x8");
  BOOST_TEST(Dot(unit, products, 1) == 0x3F7FFFFFu);
  unit.dot_fraction_bits = 31;
  BOOST_TEST(Dot(unit, products, 1) == 0x3F7FFFFEu);
}

BOOST_AUTO_TEST_CASE(section_4_3) {
  MatrixUnit exact_8 = Unit("reference.exact_rn");
  exact_8.instruction_k = exact_8.products_per_block = 8;
  const std::array<MatrixUnit, 7> columns = {
      Unit("gfx950.late_8"),           Unit("gfx950.late_16"),      Unit("gfx950.late_32"),
      Unit("sm_90.mma_sync"),          Unit("gfx90a.mfma_bf16_1k"), exact_8,
      Unit("reference.sequential_fma")};
  struct Row {
    int i, j;
    std::array<int, 7> units;  // results in units of 2^-24
  };
  const std::vector<Row> rows = {
      {1, 0, {24, 16, 0, 16, 31, 31, 30}}, {7, 0, {24, 16, 0, 16, 24, 31, 24}},
      {8, 0, {16, 16, 0, 16, 20, 23, 23}}, {16, 0, {8, 0, 0, 0, 12, 15, 15}},
      {17, 16, {8, 0, 0, 0, 31, 31, 14}},  {24, 0, {0, 0, 0, 0, 4, 7, 7}},
      {31, 16, {0, 0, 0, 0, 0, 7, 0}},
  };
  for (const Row& row : rows) {
    for (size_t i = 0; i < columns.size(); ++i) {
      const uint32_t d = Dot(columns[i], Mask(32, row.i, row.j), P2(-24));
      const uint32_t expected = arith::ToBits(static_cast<float>(row.units[i] * P2(-24)));
      BOOST_TEST(d == expected, row.i << ", " << row.j << ", column " << i << std::hex << ": " << d
                                      << ", expected " << expected);
    }
  }
}

BOOST_AUTO_TEST_CASE(every_nan_is_the_canonical_one) {
  constexpr float kInf = HUGE_VALF;
  const std::vector<std::vector<Factors>> products = {
      {{kInf, 0}}, {{-kInf, 0}}, {{kInf, 1}, {-kInf, 1}}, {{P2(100), kInf}, {0, -kInf}}};
  for (const auto& profile : profiles::MatrixUnits()) {
    for (const auto& p : products) BOOST_TEST(Dot(profile.unit, p, 1) == profile.unit.nan_bits);
    BOOST_TEST(Dot(profile.unit, {{kInf, 1}}, -kInf) == profile.unit.nan_bits);
    BOOST_TEST(Dot(profile.unit, {{kInf, 1}}, kInf) == 0x7F800000u);
    for (const uint16_t nan : {0x7FC1, 0xFF81, 0x7F81, 0xFFFF}) {
      const uint16_t one = 0x3F80;
      BOOST_TEST(arith::ToBits(units::Dot(profile.unit, &nan, &one, 1, 0)) ==
                 profile.unit.nan_bits);
      BOOST_TEST(arith::ToBits(
                     units::Dot(profile.unit, &one, &one, 1, arith::FromBits(nan * 65536u + 5))) ==
                 profile.unit.nan_bits);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_longer_k_is_a_chain_of_instructions) {
  for (const auto& profile : profiles::MatrixUnits()) {
    const int k = profile.unit.instruction_k;
    std::vector<uint16_t> a(8 * k), b(8 * k);
    for (int i = 0; i < 8 * k; ++i) {
      a[i] = static_cast<uint16_t>(0x3F00 + 37 * i % 256 + (i % 3 == 0 ? 0x8000 : 0));
      b[i] = static_cast<uint16_t>(0x3E80 + 91 * i % 256);
    }
    float chained = 0.3f;
    for (int i = 0; i < 8; ++i) {
      chained = units::Dot(profile.unit, a.data() + i * k, b.data() + i * k, k, chained);
    }
    const float d = units::Dot(profile.unit, a.data(), b.data(), 8 * k, 0.3f);
    BOOST_TEST(arith::ToBits(d) == arith::ToBits(chained), profile.name);
    BOOST_TEST(units::Dot(profile.unit, a.data(), b.data(), 0, 0.3f) == 0.3f, profile.name);
  }
}

BOOST_AUTO_TEST_CASE(profiles_are_valid_and_found_by_name) {
  for (const auto& profile : profiles::MatrixUnits()) {
    BOOST_CHECK_NO_THROW(profile.unit.validate());
    BOOST_TEST(profiles::FindMatrixUnit(profile.name) == &profile);
    BOOST_TEST(!profile.source.empty());
  }
  BOOST_TEST(profiles::FindMatrixUnit("sm_90") == nullptr);
  BOOST_TEST(profiles::ToString(profiles::FindMatrixUnit("sm_90.wgmma")->evidence) == "measured");
}

BOOST_AUTO_TEST_CASE(illegal_units_are_refused_by_field) {
  const auto names_field = [](const std::string& field) {
    return [field](const ConfigError& e) {
      return std::string(e.what()).find(field) != std::string::npos;
    };
  };
  MatrixUnit unit;
  unit.instruction_k = 12;
  BOOST_CHECK_EXCEPTION(unit.validate(), ConfigError, names_field("instruction_k"));
  unit = {};
  unit.products_per_block = 128;
  BOOST_CHECK_EXCEPTION(unit.validate(), ConfigError, names_field("products_per_block"));
  unit = {};
  unit.fraction_bits = 41;
  BOOST_CHECK_EXCEPTION(unit.validate(), ConfigError, names_field("fraction_bits"));
  unit = {};
  unit.nan_bits = 0x7F800000u;
  BOOST_CHECK_EXCEPTION(unit.validate(), ConfigError, names_field("nan_bits"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace samebits
