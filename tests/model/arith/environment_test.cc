// The machine computes float32 as IEEE 754 says: no flushing, round to nearest. A fast-math object
// anywhere in the link would break the first (it sets FTZ and DAZ at start).
#include <boost/test/unit_test.hpp>
#include <cfenv>
#include <thread>

#include "model/arith/float32.h"
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace samebits::arith {
namespace {

void CheckSubnormals() {
  volatile float smallest_normal = 0x1p-126f;
  volatile float half = 0.5f;
  volatile float smallest = 0x1p-149f;
  volatile float one = 1.0f;
  BOOST_TEST(ToBits(smallest_normal * half) == 0x00400000u);  // results are kept
  BOOST_TEST(ToBits(smallest * one) == 1u);                   // operands are kept
  BOOST_TEST(ToBits(smallest + smallest) == 2u);
}

BOOST_AUTO_TEST_CASE(SubnormalsAreKeptOnAllThreads) {
  CheckSubnormals();
  std::thread(CheckSubnormals).join();
}

#if defined(__SSE2__)
BOOST_AUTO_TEST_CASE(MxcsrIsClean) {
  constexpr unsigned kFlushToZero = 1u << 15, kDenormalsAreZero = 1u << 6, kRounding = 3u << 13;
  BOOST_TEST((_mm_getcsr() & (kFlushToZero | kDenormalsAreZero | kRounding)) == 0u);
}
#endif

BOOST_AUTO_TEST_CASE(RoundsToNearestEven) {
  BOOST_TEST(std::fegetround() == FE_TONEAREST);
  volatile float one = 1.0f;
  BOOST_TEST(one + 0x1p-24f == 1.0f);
  BOOST_TEST((one + 0x1p-23f) + 0x1p-24f == 1.0f + 0x1p-22f);
}

BOOST_AUTO_TEST_CASE(NanResultsAreCanonical) {
  volatile float infinity = INFINITY, zero = 0.0f, minus = -1.0f;
  const float payload = FromBits(0xFF812345);
  for (const float x : {Add(infinity, -infinity), Sub(infinity, infinity), Mul(infinity, zero),
                        Fma(infinity, zero, 1.0f), Div(zero, zero), Sqrt(minus), Add(payload, 1.0f),
                        Mul(payload, payload), Canonical(payload)}) {
    BOOST_TEST(ToBits(x) == kNanBits);
  }
  BOOST_TEST(ToBits(FlushSubnormal(FromBits(0x807FFFFF))) == 0x80000000u);
  BOOST_TEST(ToBits(FlushSubnormal(FromBits(0x00800000))) == 0x00800000u);
}

}  // namespace
}  // namespace samebits::arith
