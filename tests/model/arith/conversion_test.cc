// Conversions of the short formats against definitions in exact double arithmetic.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <random>
#include <vector>

#include "model/arith/bfloat16.h"
#include "model/arith/float16.h"

namespace samebits::arith {
namespace {

/// Value of a binary16 pattern that is not NaN or infinite.
double ValueOfF16(uint32_t x) {
  const int exponent = static_cast<int>(x >> 10 & 31u);
  const double fraction = x & 1023u;
  const double magnitude =
      exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024.0 + fraction, exponent - 25);
  return (x & 0x8000u) != 0 ? -magnitude : magnitude;
}

BOOST_AUTO_TEST_CASE(WidenF16OfAllInputs) {
  for (uint32_t x = 0; x < 65536; ++x) {
    const float wide = WidenF16(static_cast<F16>(x));
    if ((x & 0x7FFFu) > 0x7C00u) {
      BOOST_REQUIRE_EQUAL(ToBits(wide), kNanBits);
    } else if ((x & 0x7FFFu) == 0x7C00u) {
      BOOST_REQUIRE_EQUAL(ToBits(wide), x == 0x7C00u ? 0x7F800000u : 0xFF800000u);
    } else {
      BOOST_REQUIRE_EQUAL(wide, ValueOfF16(x));
      BOOST_REQUIRE_EQUAL(std::signbit(wide), (x & 0x8000u) != 0);
    }
  }
}

BOOST_AUTO_TEST_CASE(TruncateToF16IsTheNextTowardZero) {
  std::mt19937 random(3);
  std::vector<float> inputs;
  for (uint32_t x = 0; x < 65536; ++x) {
    const uint32_t bits = ToBits(WidenF16(static_cast<F16>(x)));
    for (const uint32_t step : {0xFFFFFFFFu, 0u, 1u}) inputs.push_back(FromBits(bits + step));
  }
  for (int i = 0; i < 200000; ++i) inputs.push_back(FromBits(random()));
  for (const float x : inputs) {
    const F16 y = TruncateToF16(x);
    if (IsNan(x)) {
      BOOST_REQUIRE_EQUAL(y, kNanF16);
      continue;
    }
    BOOST_REQUIRE_EQUAL((y & 0x8000u) != 0, std::signbit(x));
    const double magnitude = std::fabs(static_cast<double>(x));
    if (magnitude >= 65536.0) {
      BOOST_REQUIRE_EQUAL(y & 0x7FFFu, 0x7C00u);
      continue;
    }
    // |y| <= |x| < the next number after |y|.
    const uint32_t pattern = y & 0x7FFFu;
    BOOST_REQUIRE_LT(pattern, 0x7C00u);
    BOOST_REQUIRE_LE(ValueOfF16(pattern), magnitude);
    const double next = pattern == 0x7BFFu ? 65536.0 : ValueOfF16(pattern + 1);
    BOOST_REQUIRE_LT(magnitude, next);
  }
}

BOOST_AUTO_TEST_CASE(Bf16IsReadBack) {
  for (uint32_t x = 0; x < 65536; ++x) {
    const Bf16 bits = static_cast<Bf16>(x);
    const Bf16 expected = IsNan(Widen(bits)) ? kNanBf16 : bits;
    BOOST_REQUIRE_EQUAL(RoundToBf16(Widen(bits)), expected);
    BOOST_REQUIRE_EQUAL(TruncateToBf16(Widen(bits)), expected);
  }
}

// Between every pair of neighbours: below the middle, the middle (to the even one), above it.
BOOST_AUTO_TEST_CASE(RoundToBf16OfAllIntervals) {
  for (uint32_t x = 0; x < 0x7F80u; ++x) {
    for (const uint32_t sign : {0u, 0x8000u}) {
      const uint32_t low = x | sign, high = (x + 1) | sign;
      const auto at = [&](uint32_t rest) { return RoundToBf16(FromBits(low << 16 | rest)); };
      BOOST_REQUIRE_EQUAL(at(0x0001), low);
      BOOST_REQUIRE_EQUAL(at(0x7FFF), low);
      BOOST_REQUIRE_EQUAL(at(0x8000), (low & 1u) == 0 ? low : high);
      BOOST_REQUIRE_EQUAL(at(0x8001), high);
      BOOST_REQUIRE_EQUAL(at(0xFFFF), high);
      BOOST_REQUIRE_EQUAL(TruncateToBf16(FromBits(low << 16 | 0xFFFFu)), low);
    }
  }
  BOOST_TEST(RoundToBf16(FromBits(0x7F7FFFFF)) == 0x7F80);  // measured
  BOOST_TEST(RoundToBf16(FromBits(0x00018000)) == 0x0002);  // measured
}

}  // namespace
}  // namespace samebits::arith
