// SiTU over all bf16 inputs against checksums and values measured on an H200 (SPEC.md 4.6).
#include "model/shared_expert/situ.h"

#include <boost/test/unit_test.hpp>
#include <cstring>
#include <vector>

#include "model/arith/bfloat16.h"

namespace samebits::shared_expert {
namespace {

/// CRC-32 of the little-endian bytes, polynomial 0xEDB88320.
uint32_t Crc(In values) {
  uint32_t crc = 0xFFFFFFFFu;
  for (const float value : values) {
    crc ^= arith::ToBits(value);
    for (int bit = 0; bit < 32; ++bit) crc = (crc >> 1) ^ (crc & 1 ? 0xEDB88320u : 0);
  }
  return ~crc;
}

std::vector<float> AllBf16() {
  std::vector<float> values;
  for (int bits = 0; bits < 65536; ++bits) {
    values.push_back(arith::Widen(static_cast<uint16_t>(bits)));
  }
  return values;
}

struct Table {
  std::vector<float> a, u;
};

Table MakeTable(SituForm form, const Betas& betas = {}, Path path = Path::kFast,
                Choices choices = {}) {
  const Math math(choices, path);
  Table table{std::vector<float>(65536), std::vector<float>(65536)};
  SituGate(math, form, betas, AllBf16(), table.a);
  SituUp(math, form, betas, AllBf16(), table.u);
  return table;
}

int Differences(In x, In y) {
  int count = 0;
  for (size_t i = 0; i < x.size(); ++i) count += arith::ToBits(x[i]) != arith::ToBits(y[i]);
  return count;
}

struct Recorded {
  SituForm form;
  uint32_t a, u;
  int a_entries, u_entries;  // that differ from the stock form
};
const Recorded kRecorded[] = {
    {SituForm::kStock, 0xE9656AF5u, 0xADFF04C1u, 0, 0},
    {SituForm::kTorch, 0xE9A3C312u, 0xA775179Fu, 1339, 6014},
    {SituForm::kMulSigmoid, 0xE9A3C312u, 0xADFF04C1u, 1339, 0},
    {SituForm::kApprox, 0x93A0DD9Cu, 0x3F032A46u, 4331, 3614},
    {SituForm::kTriton, 0x7CA1B078u, 0xADFF04C1u, 2053, 0},
};

struct Point {
  uint16_t in;
  uint32_t a, u;
};
const Point kPoints[] = {
    {0x0000, 0x00000000, 0x00000000}, {0x8000, 0x80000000, 0x80000000},
    {0x0001, 0x00008000, 0x0000FFF5}, {0x8001, 0x80008000, 0x8000FFF5},
    {0x7F80, 0x40800000, 0x41C80000}, {0xFF80, 0x80000000, 0xC1C80000},
    {0x7FC0, 0x7FFFFFFF, 0x7FFFFFFF}, {0x3F80, 0x3F3758DA, 0x3F7FDD11},
    {0xBF80, 0xBE86E635, 0xBF7FDD11}, {0x4180, 0x407FD40A, 0x4161F5B7},
    {0xC180, 0xB4F1815D, 0xC161F5B7}, {0xC2B0, 0x8103DB89, 0xC1C7A65D},
    {0xC2D0, 0x80000000, 0xC1C7E710}, {0xC300, 0x80000000, 0xC1C7FC58},
    {0xFF7F, 0x80000000, 0xC1C80000}, {0x7F7F, 0x40800000, 0x41C80000},
};

}  // namespace

BOOST_AUTO_TEST_SUITE(situ)

BOOST_AUTO_TEST_CASE(every_form_has_its_recorded_checksums) {
  const Table stock = MakeTable(SituForm::kStock);
  for (const Recorded& r : kRecorded) {
    const Table table = MakeTable(r.form);
    const int form = static_cast<int>(r.form);
    BOOST_TEST(Crc(table.a) == r.a, "A of S" << form);
    BOOST_TEST(Crc(table.u) == r.u, "U of S" << form);
    BOOST_TEST(Differences(table.a, stock.a) == r.a_entries, "A of S" << form);
    BOOST_TEST(Differences(table.u, stock.u) == r.u_entries, "U of S" << form);
  }
}

BOOST_AUTO_TEST_CASE(recorded_points) {
  const Table table = MakeTable(SituForm::kStock);
  for (const Point& point : kPoints) {
    BOOST_TEST(arith::ToBits(table.a[point.in]) == point.a, "A of " << point.in);
    BOOST_TEST(arith::ToBits(table.u[point.in]) == point.u, "U of " << point.in);
  }
}

BOOST_AUTO_TEST_CASE(plain_and_vector_code_agree) {
  for (int form = 0; form < 6; ++form) {
    for (const Betas& betas : {Betas{}, Betas{3.7f, 7.3f}, Betas{0.5f, 1.0f}, Betas{1.0f, 0.0f}}) {
      for (const Arithmetic arithmetic : {Arithmetic::kIeee, Arithmetic::kFtz}) {
        Choices choices;
        choices.arithmetic = arithmetic;
        const auto f = static_cast<SituForm>(form);
        const Table plain = MakeTable(f, betas, Path::kPlain, choices);
        const Table fast = MakeTable(f, betas, Path::kFast, choices);
        BOOST_TEST(Differences(plain.a, fast.a) == 0, "A of S" << form);
        BOOST_TEST(Differences(plain.u, fast.u) == 0, "U of S" << form);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(three_products_move_the_linear_factor) {
  const Math math({}, Path::kFast);
  const Table three = MakeTable(SituForm::kThreeProducts);
  const Table two = MakeTable(SituForm::kMulSigmoid);
  for (size_t i = 0; i < 65536; ++i) {
    BOOST_TEST_REQUIRE(arith::ToBits(three.a[i]) == arith::ToBits(math.Mul(two.a[i], 25.0f)));
    BOOST_TEST_REQUIRE(arith::ToBits(math.Mul(25.0f, three.u[i])) == arith::ToBits(two.u[i]));
  }
}

BOOST_AUTO_TEST_CASE(without_a_linear_cap_the_up_value_passes) {
  const std::vector<float> all = AllBf16();
  for (const float linear : {0.0f, -1.0f}) {
    for (int form = 0; form < 6; ++form) {
      const Table table = MakeTable(static_cast<SituForm>(form), {4.0f, linear});
      BOOST_TEST(std::memcmp(table.u.data(), all.data(), 65536 * sizeof(float)) == 0);
    }
  }
}

// |A| <= beta and |U| <= linear_beta, so that h stays finite whatever the sums are (9, case 8).
BOOST_AUTO_TEST_CASE(caps_hold) {
  for (int form = 0; form < 5; ++form) {
    const Table table = MakeTable(static_cast<SituForm>(form));
    for (size_t i = 0; i < 65536; ++i) {
      const bool nan = arith::IsNan(arith::Widen(static_cast<uint16_t>(i)));
      BOOST_TEST_REQUIRE((nan ? arith::IsNan(table.a[i]) : std::fabs(table.a[i]) <= 4.0f));
      BOOST_TEST_REQUIRE((nan ? arith::IsNan(table.u[i]) : std::fabs(table.u[i]) <= 25.0f));
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace samebits::shared_expert
