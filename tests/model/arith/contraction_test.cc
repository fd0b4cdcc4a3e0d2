// The build does not contract a*b + c. This file is compiled with the flags of the SIMD code, where
// the compiler has fused instructions and by default uses them.
#include <boost/test/unit_test.hpp>
#include <random>

#include "model/arith/float32.h"

namespace samebits::arith {
namespace {

// Written as a compiler would like to contract it. Volatile keeps it from being folded.
float Unfused(float a, float b, float c) { return a * b + c; }
float UnfusedInSteps(float a, float b, float c) {
  const float product = a * b;
  return product + c;
}

BOOST_AUTO_TEST_CASE(MultiplyAddIsNotContracted) {
  // (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24: the product rounds to even, 1 + 2^-11.
  volatile float a = 1.0f + 0x1p-12f;
  volatile float c = -(1.0f + 0x1p-11f);
  BOOST_TEST(Unfused(a, a, c) == 0.0f);
  BOOST_TEST(UnfusedInSteps(a, a, c) == 0.0f);
  BOOST_TEST(Add(Mul(a, a), c) == 0.0f);
  BOOST_TEST(Fma(a, a, c) == 0x1p-24f);
}

// The same in a loop that vectorises.
BOOST_AUTO_TEST_CASE(LoopsAreNotContracted) {
  constexpr int kCount = 1024;
  float a[kCount], b[kCount], c[kCount], separate[kCount];
  std::mt19937 random(11);
  for (int i = 0; i < kCount; ++i) {
    a[i] = FromBits(0x3F800000u | (random() & 0x7FFFFFu));
    b[i] = FromBits(0x3F800000u | (random() & 0x7FFFFFu));
    c[i] = -a[i] * b[i];
  }
  for (int i = 0; i < kCount; ++i) separate[i] = a[i] * b[i] + c[i];
  int fused_differs = 0;
  for (int i = 0; i < kCount; ++i) {
    BOOST_REQUIRE_EQUAL(separate[i], 0.0f);
    fused_differs += Fma(a[i], b[i], c[i]) != 0.0f;
  }
  BOOST_TEST(fused_differs > kCount / 2);  // the canary can tell
}

}  // namespace
}  // namespace samebits::arith
