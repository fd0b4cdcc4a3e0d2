// The plain evaluation against loops written out here, and the vectorised one against the plain.
#include "model/order/evaluate.h"

#include <bit>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <random>
#include <vector>

#include "model/arith/float32.h"
#include "model/order/builders.h"
#include "model/order/levels.h"
#include "model/simd_support.h"

namespace samebits::order {
namespace {

using arith::ToBits;

/// Floats of every kind: about one, any exponent, subnormal, zero, infinite, NaN.
float AnyFloat(std::mt19937_64& random) {
  const auto bits = static_cast<uint32_t>(random());
  switch (random() % 24) {
    case 0:
      return arith::FromBits(bits);
    case 1:
      return arith::FromBits(bits & 0x807FFFFFu);
    case 2:
      return arith::FromBits(bits & 0x80000000u);
    case 3:
      return random() % 16 ? 1.0f : arith::FromBits(0x7F800000u | (bits & 0x80400000u));
    default:
      return arith::FromBits((bits & 0x83FFFFFFu) | 0x3C000000u);
  }
}

std::vector<float> Floats(std::mt19937_64& random, size_t n) {
  std::vector<float> values(n);
  for (float& x : values) x = AnyFloat(random);
  return values;
}

BOOST_AUTO_TEST_SUITE(evaluate)

BOOST_AUTO_TEST_CASE(plain_sums_equal_loops) {
  std::mt19937_64 random(1);
  for (int run = 0; run < 200; ++run) {
    const std::vector<float> a = Floats(random, 128), b = Floats(random, 128);
    float chain = 0.0f;
    for (int i = 0; i < 128; ++i) chain = arith::Fma(a[i], b[i], chain);
    BOOST_TEST(ToBits(SumProducts(Sequential(128), a.data(), b.data())) == ToBits(chain));

    float w[4];
    for (int j = 0; j < 4; ++j) {
      float x[32];
      for (int i = 0; i < 32; ++i) x[i] = arith::Mul(a[32 * j + i], b[32 * j + i]);
      for (int o = 16; o > 0; o /= 2) {
        for (int i = 0; i < o; ++i) x[i] = arith::Add(x[i], x[i + o]);
      }
      w[j] = x[0];
    }
    const float norm = arith::Add(arith::Add(w[0], w[2]), arith::Add(w[1], w[3]));
    BOOST_TEST(ToBits(SumProducts(Norm128(), a.data(), b.data())) == ToBits(norm));

    float p[8];
    for (int l = 0; l < 8; ++l) {
      float c[4];
      for (int e = 0; e < 4; ++e) {
        c[e] = 0.0f;
        for (int k = 4 * l + e; k < 128; k += 32) c[e] = arith::Fma(a[k], b[k], c[e]);
      }
      p[l] = arith::Add(arith::Add(c[0], c[2]), arith::Add(c[1], c[3]));
    }
    for (int o = 4; o > 0; o /= 2) {
      for (int i = 0; i < o; ++i) p[i] = arith::Add(p[i], p[i + o]);
    }
    BOOST_TEST(ToBits(SumProducts(KeyDot(), a.data(), b.data())) == ToBits(p[0]));
  }
}

BOOST_AUTO_TEST_CASE(flushing_touches_operands_and_results) {
  const float tiny = arith::FromBits(0x00400000u);
  const float one = 1.0f, small = 0x1p-100f;
  const Tree tree = Sequential(1);
  BOOST_TEST(ToBits(SumProducts(tree, &tiny, &one)) == 0x00400000u);
  BOOST_TEST(SumProducts(tree, &tiny, &one, 0.0f, Subnormals::kFlushed) == 0.0f);
  BOOST_TEST(SumProducts(tree, &small, &small, 0.0f, Subnormals::kFlushed) == 0.0f);
}

BOOST_AUTO_TEST_CASE(vectorised_sums_equal_plain_ones) {
  if (!SimdSupported()) return;
  std::mt19937_64 random(2);
  const Tree trees[] = {Norm128(),
                        Norm128(Distance::kAscending),
                        Butterfly(128, Distance::kDescending),
                        KeyDot(),
                        KeyDot(Distance::kAscending),
                        Triton1Warp(),
                        Triton16x8(),
                        SkinnyGemm(),
                        Sequential(128),
                        Pairwise(128),
                        Convolution(ConvOrder::kOldestFirst)};
  for (const size_t width : {1u, 128u, 200u, 384u}) {
    const std::vector<float> a = Floats(random, 128 * width), b = Floats(random, 128 * width);
    const std::vector<float> start = Floats(random, width);
    for (const Tree& plain : trees) {
      for (const Tree& tree : {plain, Separated(plain), Contracted(plain)}) {
        for (const bool broadcast : {true, false}) {
          const Columns columns = {.a = a.data(),
                                   .a_stride = width,
                                   .b = b.data(),
                                   .b_stride = broadcast ? 1 : width,
                                   .broadcast = broadcast,
                                   .start = start.data()};
          std::vector<float> expected(width), actual(width);
          SumColumns(tree, columns, width, expected.data());
          SumColumnsSimd(tree, columns, width, actual.data());
          for (size_t j = 0; j < width; ++j) {
            if (ToBits(expected[j]) != ToBits(actual[j])) {
              BOOST_TEST(ToBits(expected[j]) == ToBits(actual[j]),
                         tree.name << " output " << j << " of " << width);
            }
          }
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(sums_by_levels_equal_plain_ones) {
  if (!SimdSupported()) return;
  std::mt19937_64 random(3);
  const Tree trees[] = {Norm128(),
                        Norm128(Distance::kAscending),
                        Norm128AscendingTail(2),
                        Butterfly(128, Distance::kDescending),
                        KeyDot(),
                        Triton1Warp(),
                        Triton16x8(),
                        SkinnyGemm(),
                        Pairwise(128)};
  for (const Tree& plain : trees) {
    for (const Tree& tree : {plain, Separated(plain), Contracted(plain)}) {
      const std::optional<Levels> levels = Levels::Of(tree);
      if (!levels) continue;
      for (int run = 0; run < 100; ++run) {
        const std::vector<float> a = Floats(random, 128), b = Floats(random, 128);
        const auto differ = [&](const float* y) {
          return ToBits(SumProducts(tree, a.data(), y)) !=
                 ToBits(SumProductsSimd(*levels, a.data(), y));
        };
        if (differ(a.data()) || differ(b.data())) BOOST_ERROR(ToText(tree));
      }
    }
  }
  for (const Tree& tree : {Norm128(), Contracted(Norm128()), KeyDot(), Triton1Warp()}) {
    BOOST_TEST(Levels::Of(tree).has_value(), tree.name);
  }
}

BOOST_AUTO_TEST_CASE(only_even_trees_have_levels) {
  BOOST_TEST(!Levels::Of(Sequential(128)).has_value());                       // one chain
  BOOST_TEST(!Levels::Of(Separated(Sequential(128))).has_value());            // as deep as long
  BOOST_TEST(!Levels::Of(Convolution(ConvOrder::kOldestFirst)).has_value());  // a start value
  BOOST_TEST(!Levels::Of(MatrixChains(4)).has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace samebits::order
