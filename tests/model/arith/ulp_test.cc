#include "model/arith/ulp.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <random>

namespace samebits::arith {
namespace {

using C = FloatClass;

BOOST_AUTO_TEST_CASE(Classes) {
  const struct {
    uint32_t bits;
    FloatClass expected;
  } cases[] = {
      {0x00000000u, C::kPositiveZero},
      {0x80000000u, C::kNegativeZero},
      {0x00000001u, C::kPositiveSubnormal},
      {0x007FFFFFu, C::kPositiveSubnormal},
      {0x807FFFFFu, C::kNegativeSubnormal},
      {0x00800000u, C::kPositiveNormal},
      {0x7F7FFFFFu, C::kPositiveNormal},
      {0x80800000u, C::kNegativeNormal},
      {0x7F800000u, C::kPositiveInf},
      {0xFF800000u, C::kNegativeInf},
      {0x7F800001u, C::kNan},
      {0x7FFFFFFFu, C::kNan},
      {0xFFC00000u, C::kNan},
  };
  for (const auto& c : cases) {
    BOOST_TEST((Classify(FromBits(c.bits)) == c.expected), std::hex << c.bits);
  }
  BOOST_TEST((ClassifyBf16(0x0001) == C::kPositiveSubnormal));
  BOOST_TEST((ClassifyBf16(0xFF80) == C::kNegativeInf));
  BOOST_TEST((ClassifyBf16(0x7F81) == C::kNan));
  BOOST_TEST(Name(C::kNegativeSubnormal) == "-subnormal");
}

BOOST_AUTO_TEST_CASE(DistanceOfNeighbours) {
  // Neighbours are one apart across all binades, the subnormals and the infinities.
  for (uint32_t bits = 0; bits < 0x7F800000u; bits += 0xFFF) {
    const float x = FromBits(bits);
    const float next = std::nextafterf(x, INFINITY);
    BOOST_REQUIRE_EQUAL(UlpDistance(x, next).value(), 1);
    BOOST_REQUIRE_EQUAL(UlpDistance(-next, -x).value(), 1);
  }
  BOOST_TEST(UlpDistance(FromBits(0x7F7FFFFF), FromBits(0x7F800000)).value() == 1);
}

BOOST_AUTO_TEST_CASE(DistanceAcrossZero) {
  BOOST_TEST(UlpDistance(0.0f, -0.0f).value() == 0);
  BOOST_TEST(UlpDistance(FromBits(0x80000001), FromBits(1)).value() == 2);
  BOOST_TEST(UlpDistance(-1.0f, 1.0f).value() == 2 * int64_t{0x3F800000});
  // The largest distance does not overflow.
  BOOST_TEST(UlpDistance(-INFINITY, INFINITY).value() == 2 * int64_t{0x7F800000});
}

BOOST_AUTO_TEST_CASE(DistanceIsAMetric) {
  std::mt19937 random(5);
  for (int i = 0; i < 100000; ++i) {
    const float a = FromBits(random()), b = FromBits(random()), c = FromBits(random());
    if (IsNan(a) || IsNan(b) || IsNan(c)) continue;
    BOOST_REQUIRE(UlpDistance(a, b) == UlpDistance(b, a));
    BOOST_REQUIRE_LE(*UlpDistance(a, c), *UlpDistance(a, b) + *UlpDistance(b, c));
  }
}

BOOST_AUTO_TEST_CASE(NansHaveNoDistanceFromNumbers) {
  const float nan = FromBits(kNanBits), other = FromBits(0xFFC00001);
  BOOST_TEST(UlpDistance(nan, other).value() == 0);
  BOOST_TEST(!UlpDistance(nan, 1.0f).has_value());
  BOOST_TEST(!UlpDistance(-INFINITY, other).has_value());
}

BOOST_AUTO_TEST_CASE(Bf16CountsItsOwnSteps) {
  BOOST_TEST(UlpDistanceBf16(0x3F80, 0x3F81).value() == 1);
  BOOST_TEST(UlpDistanceBf16(0x8001, 0x0001).value() == 2);
  BOOST_TEST(UlpDistanceBf16(0x7F7F, 0x7F80).value() == 1);
  BOOST_TEST(UlpDistanceBf16(0x8000, 0x0000).value() == 0);
  BOOST_TEST(!UlpDistanceBf16(0x7FFF, 0x0000).has_value());
}

}  // namespace
}  // namespace samebits::arith
