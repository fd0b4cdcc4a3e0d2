// The portable reciprocal root: correctly rounded, although it is rounded twice. So the contract's
// choice between the two changes no bit (SPEC.md of kda_pre, 10.2).
#include "model/units/portable_functions.h"

#include <bit>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstdint>

namespace samebits::units {
namespace {

/// Is root * 2^-24 the nearest of its multiples to 1/sqrt(x * 2^-23)? In half units, 2^-25:
/// (2 root - 1)^2 x < 2^73 < (2 root + 1)^2 x. No x has a root halfway between two.
bool IsNearest(uint64_t x, uint64_t root) {
  using Wide = unsigned __int128;
  const auto square = [&](uint64_t half) { return static_cast<Wide>(half * half) * x; };
  return square(2 * root - 1) < Wide{1} << 73 && Wide{1} << 73 < square(2 * root + 1);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(portable_functions)

/// Powers of four scale argument and result exactly: two binades are all there is.
BOOST_AUTO_TEST_CASE(reciprocal_root_is_correctly_rounded) {
  int64_t wrong = 0;
  for (uint32_t bits = 0x3F800000u; bits < 0x40800000u; ++bits) {
    const float x = std::bit_cast<float>(bits);
    wrong += !IsNearest(static_cast<uint64_t>(std::ldexp(x, 23)),
                        static_cast<uint64_t>(std::ldexp(PortableRsq(x), 24)));
  }
  BOOST_TEST(wrong == 0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace samebits::units
