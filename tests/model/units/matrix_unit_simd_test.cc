// The vector code equals its plain twin, for every profile on every target of this machine.
#include "model/units/matrix_unit_simd.h"

#include <hwy/targets.h>

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "model/profiles/matrix_units.h"
#include "model/simd_support.h"
#include "model/units/matrix_unit_packed.h"
#include "tests/model/units/matrix_unit_test_inputs.h"

namespace samebits {
namespace {

using testing::Kind;
using units::GemmShape;
using units::MatrixUnit;

/// Restricts dispatch to one target for a scope.
class OnlyTarget {
 public:
  explicit OnlyTarget(int64_t target) { hwy::SetSupportedTargetsForTest(target); }
  ~OnlyTarget() { hwy::SetSupportedTargetsForTest(0); }
};

struct Operands {
  GemmShape shape;
  int64_t lda, ldb, ldc;
  std::vector<uint16_t> a, b;
  std::vector<float> c;
};

Operands MakeOperands(Kind kind, GemmShape shape, uint64_t seed) {
  testing::OperandSource source(seed);
  Operands o{shape, shape.k + 3, shape.k + 1, shape.n + 2, {}, {}, {}};
  o.a.assign(shape.m * o.lda, 0x7FC1);  // between the rows: NaNs that must not be read
  o.b.assign(shape.n * o.ldb, 0x7FC1);
  o.c.assign(shape.m * o.ldc, 0.0f);
  for (float& c : o.c) c = arith::FromBits(source.Accumulator(kind));
  for (int i = 0; i < shape.m; ++i) {
    for (int k = 0; k < shape.k; ++k) o.a[i * o.lda + k] = source.Value(kind, k, false);
  }
  for (int j = 0; j < shape.n; ++j) {
    for (int k = 0; k < shape.k; ++k) o.b[j * o.ldb + k] = source.Value(kind, k, true);
  }
  return o;
}

int64_t CountDifferent(const std::vector<float>& x, const std::vector<float>& y) {
  int64_t different = 0;
  for (size_t i = 0; i < x.size(); ++i) different += arith::ToBits(x[i]) != arith::ToBits(y[i]);
  return different;
}

int64_t CountDifferent(const MatrixUnit& unit, const Operands& o, bool with_c) {
  const float* c = with_c ? o.c.data() : nullptr;
  std::vector<float> plain(o.c.size()), fast(o.c.size()), packed(o.c.size()), prepared;
  GemmPlain(unit, o.shape, o.a.data(), o.lda, o.b.data(), o.ldb, c, o.ldc, plain.data(), o.ldc);
  Gemm(unit, o.shape, o.a.data(), o.lda, o.b.data(), o.ldb, c, o.ldc, fast.data(), o.ldc);
  if (with_c) packed = o.c;  // in place
  prepared = packed;
  const units::PackedMatrix packed_a(o.a.data(), o.lda, o.shape.m, o.shape.k);
  Gemm(unit, packed_a, o.shape.n, o.b.data(), o.ldb, with_c ? packed.data() : nullptr, {o.ldc, 1},
       packed.data(), {o.ldc, 1});
  const units::PackedColumns columns =
      units::PackColumns(unit, o.b.data(), o.ldb, o.shape.n, o.shape.k);
  Gemm(unit, packed_a, columns, with_c ? prepared.data() : nullptr, {o.ldc, 1}, prepared.data(),
       {o.ldc, 1});
  for (int i = 0; with_c && i < o.shape.m; ++i) {  // never written: the gaps between rows
    for (int64_t j = o.shape.n; j < o.ldc; ++j) plain[i * o.ldc + j] = packed[i * o.ldc + j];
  }
  int64_t different = CountDifferent(plain, packed) + CountDifferent(packed, prepared);
  for (int i = 0; i < o.shape.m; ++i) {
    for (int64_t j = 0; j < o.ldc; ++j) {
      const float expected = j < o.shape.n ? plain[i * o.ldc + j] : 0.0f;
      different += arith::ToBits(fast[i * o.ldc + j]) != arith::ToBits(expected);
    }
  }
  return different;
}

BOOST_AUTO_TEST_SUITE(matrix_unit_simd)

BOOST_AUTO_TEST_CASE(the_expected_target_runs) {
  for (const SimdTarget& target : SimdTargets()) {
    const OnlyTarget only(target.bit);
    BOOST_TEST(units::MatrixUnitTarget() == target.name);
    BOOST_TEST_MESSAGE("ran: " << target.name);
  }
  if (!SimdSupported()) BOOST_TEST_MESSAGE("ran: plain only");
}

// Every bf16 value, then shapes that do not fill groups and padding.
BOOST_AUTO_TEST_CASE(packing_equals_plain) {
  constexpr int kStride = 4100;
  std::vector<uint16_t> a(16 * kStride);
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = static_cast<uint16_t>(i / kStride << 12 | i % kStride);
  for (const SimdTarget& target : SimdTargets()) {
    const OnlyTarget only(target.bit);
    for (const int rows : {16, 1, 7, 8, 9, 15}) {
      for (const int k : {4096, 0, 1, 7, 8, 9, 16, 51, 63, 64, 65, 128}) {
        const int padded_k = (k + 63) / 64 * 64;
        const size_t size = 16 * padded_k;
        std::vector<int> places(padded_k);
        for (int x = 0; x < padded_k; ++x) places[x] = 5 * x % padded_k;
        // What the plain code does not write shows as well.
        std::vector<float> plain(size, 1.0f), fast(size, 2.0f);
        std::vector<int16_t> plain_exp(size, 1), fast_exp(size, 2);
        units::PackGroupPlain(a.data(), kStride, rows, k, places, plain.data(), plain_exp.data());
        units::PackGroupSimd(a.data(), kStride, rows, k, places, fast.data(), fast_exp.data());
        BOOST_TEST(CountDifferent(plain, fast) == 0, target.name << " " << rows << " x " << k);
        BOOST_TEST((plain_exp == fast_exp), target.name << " " << rows << " x " << k);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(packs_columns_in_another_order) {
  const Operands o = MakeOperands(Kind::kSpread34, {20, 1, 33}, 5);
  std::vector<int> order(o.shape.k);
  for (int x = 0; x < o.shape.k; ++x) order[x] = 7 * x % o.shape.k;
  const units::PackedMatrix packed(o.a.data(), o.lda, o.shape.m, order);
  BOOST_TEST(packed.k() == o.shape.k);
  for (int i = 0; i < o.shape.m; ++i) {
    std::vector<uint16_t> row(o.shape.k), expected;
    packed.Unpack(i, row.data());
    for (const int column : order) expected.push_back(o.a[i * o.lda + column]);
    BOOST_TEST(row == expected);
  }
}

BOOST_AUTO_TEST_CASE(every_profile_has_vector_code) {
  for (const auto& profile : profiles::MatrixUnits()) {
    BOOST_TEST(units::HasSimd(profile.unit), profile.name);
  }
}

// Units without vector code take the plain path through the same functions.
BOOST_AUTO_TEST_CASE(other_units_equal_plain) {
  MatrixUnit wide;
  wide.fraction_bits = 26;
  MatrixUnit nearest;
  nearest.rounding = units::Rounding::kNearestEven;
  for (const MatrixUnit& unit : {wide, nearest}) {
    BOOST_TEST(!units::HasSimd(unit));
    const Operands o = MakeOperands(Kind::kSpread34, {20, 9, 40}, 3);
    BOOST_TEST(CountDifferent(unit, o, true) == 0);
  }
}

BOOST_AUTO_TEST_CASE(equals_plain_for_every_kind_of_input) {
  const std::vector<GemmShape> shapes = {{16, 1, 16}, {37, 7, 32}, {5, 21, 128}, {20, 6, 51},
                                         {64, 8, 64}, {3, 2, 7},   {33, 13, 16}};
  for (const SimdTarget& target : SimdTargets()) {
    const OnlyTarget only(target.bit);
    for (const auto& profile : profiles::MatrixUnits()) {
      for (size_t kind = 0; kind < testing::kKinds.size(); ++kind) {
        int64_t different = 0;
        uint64_t seed = 1000 * kind;
        for (int repeat = 0; repeat < 3; ++repeat) {
          for (const GemmShape& shape : shapes) {
            const Operands o = MakeOperands(testing::kKinds[kind], shape, ++seed);
            different += CountDifferent(profile.unit, o, repeat != 0);
          }
        }
        BOOST_TEST(different == 0, profile.name << ", " << testing::kKindNames[kind] << ", target "
                                                << target.name << ": " << different << " differ");
      }
    }
  }
}

// Dot products of every pair of exponents, so that both ends of the ranges in which the vector code
// is exact are crossed one exponent at a time.
BOOST_AUTO_TEST_CASE(equals_plain_at_every_exponent) {
  constexpr int kK = 16, kRows = 255;
  std::vector<uint16_t> a(kRows * kK), b(kRows * kK);
  testing::OperandSource source(7);
  for (int field = 0; field < kRows; ++field) {
    for (int k = 0; k < kK; ++k) {
      const auto bits = [&] { return static_cast<uint16_t>(field << 7 | source.Draw(128)); };
      a[field * kK + k] = static_cast<uint16_t>(bits() | source.Draw(2) << 15);
      b[field * kK + k] = bits();
    }
  }
  for (const SimdTarget& target : SimdTargets()) {
    const OnlyTarget only(target.bit);
    for (const auto& profile : profiles::MatrixUnits()) {
      // 0x13800001: just above the lowest alignment exponent of LATE's vector code.
      for (const uint32_t c : {0u, 0x80000001u, 0x0C345678u, 0x13800001u, 0xBF800001u}) {
        const std::vector<float> start(kRows * kRows, arith::FromBits(c));
        std::vector<float> plain(start.size()), fast(start.size());
        const GemmShape shape{kRows, kRows, kK};
        GemmPlain(profile.unit, shape, a.data(), kK, b.data(), kK, start.data(), kRows,
                  plain.data(), kRows);
        Gemm(profile.unit, shape, a.data(), kK, b.data(), kK, start.data(), kRows, fast.data(),
             kRows);
        BOOST_TEST(CountDifferent(plain, fast) == 0, profile.name << ", c " << c);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(equals_plain_in_the_signs_of_zeros) {
  constexpr int kK = 32;
  const std::vector<uint16_t> values = {0x0000, 0x8000, 0x0001, 0x8001, 0x3F80, 0xBF80};
  std::vector<uint16_t> a;
  for (const uint16_t value : values) a.insert(a.end(), kK, value);
  const int n = static_cast<int>(values.size());
  for (const SimdTarget& target : SimdTargets()) {
    const OnlyTarget only(target.bit);
    for (const auto& profile : profiles::MatrixUnits()) {
      for (const uint32_t c : {0u, 0x80000000u, 0x00000001u, 0x80000001u}) {
        const std::vector<float> start(n * n, arith::FromBits(c));
        std::vector<float> plain(start.size()), fast(start.size());
        GemmPlain(profile.unit, {n, n, kK}, a.data(), kK, a.data(), kK, start.data(), n,
                  plain.data(), n);
        Gemm(profile.unit, {n, n, kK}, a.data(), kK, a.data(), kK, start.data(), n, fast.data(), n);
        BOOST_TEST(CountDifferent(plain, fast) == 0, profile.name << ", c " << c);
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace samebits
