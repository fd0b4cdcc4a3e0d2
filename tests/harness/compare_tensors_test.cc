#include "harness/compare/compare_tensors.h"

#include <boost/test/unit_test.hpp>
#include <cstring>
#include <numeric>

#include "harness/compare/element.h"
#include "harness/report/case_report.h"

using namespace samebits;
using namespace samebits::harness;

namespace {

Tensor Make(DType dtype, const std::vector<uint32_t>& bits) {
  Tensor tensor({"t", Role::kOutput, dtype, {"i"}, {static_cast<int64_t>(bits.size())}});
  for (size_t i = 0; i < bits.size(); ++i) {
    std::memcpy(tensor.data.data() + i * SizeOf(dtype), &bits[i], SizeOf(dtype));
  }
  return tensor;
}

struct Pair {
  DType dtype;
  uint32_t expected, actual;
  Change change;
  std::optional<uint64_t> ulp;
};

const Pair kPairs[] = {
    {DType::kF32, 0x3F800000, 0x3F800001, Change::kValue, 1},
    {DType::kF32, 0x3F800000, 0xBF800000, Change::kValue, 0x7F000000},
    {DType::kF32, 0x00000001, 0x80000001, Change::kValue, 2},
    {DType::kF32, 0x007FFFFF, 0x00800000, Change::kValue, 1},  // subnormal to normal
    {DType::kF32, 0x00000001, 0x00000002, Change::kValue, 1},  // both subnormal
    {DType::kF32, 0x00000000, 0x80000000, Change::kZeroSign, 0},
    {DType::kF32, 0x80000000, 0x00000000, Change::kZeroSign, 0},
    {DType::kF32, 0x00000001, 0x00000000, Change::kFlushed, 1},
    {DType::kF32, 0x80012345, 0x80000000, Change::kFlushed, 0x12345},
    {DType::kF32, 0x00000000, 0x00000001, Change::kUnflushed, 1},
    {DType::kF32, 0x00800000, 0x00000000, Change::kValue, 0x00800000},  // a normal that vanished
    {DType::kF32, 0x7F7FFFFF, 0x7F800000, Change::kInfGained, std::nullopt},
    {DType::kF32, 0x7F800000, 0x7F7FFFFF, Change::kInfLost, std::nullopt},
    {DType::kF32, 0x7F800000, 0xFF800000, Change::kInfSign, std::nullopt},
    {DType::kF32, 0x7F800000, 0x7FFFFFFF, Change::kNanGained, std::nullopt},
    {DType::kF32, 0x00000000, 0x7FFFFFFF, Change::kNanGained, std::nullopt},
    {DType::kF32, 0x7FFFFFFF, 0x3F800000, Change::kNanLost, std::nullopt},
    {DType::kF32, 0x7FFFFFFF, 0x7F800000, Change::kNanLost, std::nullopt},
    {DType::kF32, 0x7FFFFFFF, 0x7FC00000, Change::kNanPayload, std::nullopt},
    {DType::kF32, 0x7FFFFFFF, 0xFFFFFFFF, Change::kNanPayload, std::nullopt},
    {DType::kF32, 0x3F800000, 0xFFA5A5A5, Change::kNeverWritten, std::nullopt},
    {DType::kF32, 0x7FFFFFFF, 0xFFA5A5A5, Change::kNeverWritten, std::nullopt},
    {DType::kF32, 0xFFA5A5A5, 0x3F800000, Change::kStray, std::nullopt},
    {DType::kF32, 0xFFA5A5A5, 0x7FFFFFFF, Change::kStray, std::nullopt},
    {DType::kBf16, 0x3F80, 0x3F81, Change::kValue, 1},
    {DType::kBf16, 0x0000, 0x8000, Change::kZeroSign, 0},
    {DType::kBf16, 0x7F7F, 0x7F80, Change::kInfGained, std::nullopt},
    {DType::kBf16, 0x7F80, 0x7F7F, Change::kInfLost, std::nullopt},
    {DType::kBf16, 0x7FFF, 0x7FC0, Change::kNanPayload, std::nullopt},
    {DType::kBf16, 0x3F80, 0x7FFF, Change::kNanGained, std::nullopt},
    {DType::kBf16, 0x0001, 0x0000, Change::kFlushed, 1},
    {DType::kBf16, 0x3F80, 0xFFA5, Change::kNeverWritten, std::nullopt},
    {DType::kBf16, 0xFFA5, 0x0000, Change::kStray, std::nullopt},
    {DType::kF16, 0x7BFF, 0x7C00, Change::kInfGained, std::nullopt},
    {DType::kF16, 0x0001, 0x0000, Change::kFlushed, 1},
    {DType::kF16, 0x3C00, 0x3C01, Change::kValue, 1},
    {DType::kI32, 0xFFFFFFFF, 0x00000000, Change::kValue, std::nullopt},
    {DType::kI32, 0x00000007, 0xA5A5A5A5, Change::kNeverWritten, std::nullopt},
};

}  // namespace

BOOST_AUTO_TEST_SUITE(compare_tensors)

BOOST_AUTO_TEST_CASE(every_change_is_seen_and_named) {
  for (const Pair& pair : kPairs) {
    BOOST_TEST_CONTEXT(HexBits(pair.dtype, pair.expected)
                       << " -> " << HexBits(pair.dtype, pair.actual)) {
      const auto diff = CompareTensors(Make(pair.dtype, {0, pair.expected, 1}),
                                       Make(pair.dtype, {0, pair.actual, 1}));
      BOOST_REQUIRE(diff.has_value());
      BOOST_TEST(diff->differing == 1);
      BOOST_TEST(diff->first.index == 1);
      BOOST_TEST(diff->first.expected == pair.expected);
      BOOST_TEST(diff->first.actual == pair.actual);
      BOOST_TEST(Name(diff->first.change) == Name(pair.change));
      BOOST_TEST(diff->first.ulp.has_value() == pair.ulp.has_value());
      if (pair.ulp && diff->first.ulp) BOOST_TEST(*diff->first.ulp == *pair.ulp);
      BOOST_TEST(diff->changes[static_cast<size_t>(pair.change)] == 1);
    }
  }
}

BOOST_AUTO_TEST_CASE(equal_patterns_are_identical_nan_too) {
  for (DType dtype : {DType::kBf16, DType::kF16, DType::kF32, DType::kI32}) {
    const Tensor t = Make(dtype, {0, 1, 0x7FFF, 0x7FFFFFFF, PoisonBits(dtype)});
    BOOST_TEST(!CompareTensors(t, t));
    BOOST_TEST(!CompareTensors(t, t, NanPolicy::kClass));
  }
}

BOOST_AUTO_TEST_CASE(every_single_bit_is_seen) {
  for (DType dtype : {DType::kBf16, DType::kF16, DType::kF32, DType::kI32}) {
    const Tensor t = Make(dtype, {0x3C01, 0x7F800000, 0x80000001, 0});
    for (size_t bit = 0; bit < t.data.size() * 8; ++bit) {
      Tensor other = t;
      other.data[bit / 8] ^= std::byte{1} << (bit % 8);
      const auto diff = CompareTensors(t, other);
      BOOST_REQUIRE(diff.has_value());
      BOOST_TEST(diff->differing == 1);
      BOOST_TEST(diff->first.index == static_cast<int64_t>(bit / 8 / SizeOf(dtype)));
    }
  }
}

BOOST_AUTO_TEST_CASE(nan_class_merges_nan_and_nothing_else) {
  for (const Pair& pair : kPairs) {
    const auto diff = CompareTensors(Make(pair.dtype, {pair.expected}),
                                     Make(pair.dtype, {pair.actual}), NanPolicy::kClass);
    BOOST_TEST(diff.has_value() == (pair.change != Change::kNanPayload));
  }
}

BOOST_AUTO_TEST_CASE(first_worst_and_counts) {
  const auto diff =
      CompareTensors(Make(DType::kF32, {0x3F800000, 0x3F800000, 0x3F800000, 0}),
                     Make(DType::kF32, {0x3F800000, 0x3F800002, 0x3F800009, 0x7FFFFFFF}));
  BOOST_REQUIRE(diff.has_value());
  BOOST_TEST(diff->differing == 3);
  BOOST_TEST(diff->first.index == 1);
  BOOST_TEST(diff->worst.index == 2);
  BOOST_TEST(*diff->worst.ulp == 9);
  BOOST_TEST(diff->changes[static_cast<size_t>(Change::kNanGained)] == 1);
  BOOST_TEST(diff->max_abs == 0x1.2p-20);
}

BOOST_AUTO_TEST_CASE(worst_ignores_elements_without_a_distance) {
  const auto diff = CompareTensors(Make(DType::kF32, {0x3F800000, 0x3F800000}),
                                   Make(DType::kF32, {0x7FFFFFFF, 0x3F800001}));
  BOOST_TEST(diff->first.index == 0);
  BOOST_TEST(diff->worst.index == 1);
}

BOOST_AUTO_TEST_CASE(the_earliest_step_comes_first) {
  Tensor expected({"t", Role::kTap, DType::kF32, {"request", "token", "v"}, {2, 3, 4}});
  Tensor actual = expected;
  actual.view<float>()[2 * 4 + 1] = 1;       // request 0, token 2
  actual.view<float>()[12 + 1 * 4 + 3] = 1;  // request 1, token 1
  const auto diff = CompareTensors(expected, actual);
  BOOST_TEST(diff->step == 1);
  BOOST_TEST(diff->first.index == 19);
  BOOST_TEST(diff->differing == 2);
}

BOOST_AUTO_TEST_CASE(taps_of_an_earlier_step_are_reported_first) {
  const auto diff = [](const char* name, Role role, int64_t step) {
    TensorDiff d;
    d.spec = {name, role, DType::kF32, {}, {}};
    d.step = step;
    return d;
  };
  CaseReport report;
  report.diffs = {diff("dot", Role::kTap, 1), diff("correction", Role::kTap, 0),
                  diff("state", Role::kTap, 0), diff("y", Role::kOutput, 0)};
  report.SortByDataflow();
  std::string order;
  for (const TensorDiff& d : report.diffs) order += d.spec.name + ' ';
  BOOST_TEST(order == "correction state dot y ");
}

BOOST_AUTO_TEST_CASE(other_shape_or_dtype_is_refused) {
  const Tensor t = Make(DType::kF32, {0, 0});
  BOOST_CHECK_THROW(CompareTensors(t, Make(DType::kF32, {0})), std::invalid_argument);
  BOOST_CHECK_THROW(CompareTensors(t, Make(DType::kI32, {0, 0})), std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(coordinates_are_named) {
  const TensorSpec spec{"s", Role::kTap, DType::kF32, {"request", "token", "v"}, {2, 3, 5}};
  BOOST_TEST(CoordinateText(spec, 0) == "request=0 token=0 v=0");
  BOOST_TEST(CoordinateText(spec, 29) == "request=1 token=2 v=4");
  BOOST_TEST(CoordinateText(spec, 17) == "request=1 token=0 v=2");
  BOOST_TEST(CoordinateText({"x", Role::kTap, DType::kF32, {}, {}}, 0) == "scalar");
  BOOST_TEST(SpecText(spec) == "s[request=2, token=3, v=5] f32");
}

BOOST_AUTO_TEST_CASE(values_as_text) {
  BOOST_TEST(ValueText(DType::kF32, 0x3F800000) == "1");
  BOOST_TEST(ValueText(DType::kF32, 0x3DCCCCCD) == "0.1");
  BOOST_TEST(ValueText(DType::kF32, 0x80000000) == "-0");
  BOOST_TEST(ValueText(DType::kF32, 0xFF800000) == "-inf");
  BOOST_TEST(ValueText(DType::kF32, 0x7FFFFFFF) == "nan");
  BOOST_TEST(ValueText(DType::kBf16, 0x4049) == "3.140625");
  BOOST_TEST(ValueText(DType::kF16, 0x3C00) == "1");
  BOOST_TEST(ValueText(DType::kF16, 0xFBFF) == "-65504");
  BOOST_TEST(ValueText(DType::kF16, 0x0001) == "5.9604645e-08");
  BOOST_TEST(ValueText(DType::kF16, 0x8000) == "-0");
  BOOST_TEST(ValueText(DType::kF16, 0x7C00) == "inf");
  BOOST_TEST(ValueText(DType::kI32, 0xFFFFFFFF) == "-1");
}

BOOST_AUTO_TEST_CASE(statistics_count_every_differing_element_once) {
  const Tensor expected = Make(DType::kF32, {0x3F800000, 0x3F800000, 0x00000000, 0x3F800000, 5});
  const Tensor actual = Make(DType::kF32, {0x3F800001, 0x3F800005, 0x80000000, 0x7FFFFFFF, 5});
  const TensorDiff diff = *CompareTensors(expected, actual);
  BOOST_TEST(diff.differing == 4);
  BOOST_TEST(diff.ulps[0] == 1);  // the sign of zero
  BOOST_TEST(diff.ulps[1] == 1);  // 1
  BOOST_TEST(diff.ulps[3] == 1);  // 4..7
  BOOST_TEST(std::accumulate(diff.ulps.begin(), diff.ulps.end(), int64_t{0}) == 3);  // no NaN
  BOOST_TEST(diff.flips[0] == 3);  // bit 0 of 1, 5 and the NaN
  BOOST_TEST(diff.flips[2] == 2);
  BOOST_TEST(diff.flips[31] == 1);
  using arith::FloatClass;
  const auto count = [&](FloatClass e, FloatClass a) {
    return diff.classes[static_cast<size_t>(e)][static_cast<size_t>(a)];
  };
  BOOST_TEST(count(FloatClass::kPositiveNormal, FloatClass::kPositiveNormal) == 2);
  BOOST_TEST(count(FloatClass::kPositiveNormal, FloatClass::kNan) == 1);
  BOOST_TEST(count(FloatClass::kPositiveZero, FloatClass::kNegativeZero) == 1);
}

BOOST_AUTO_TEST_CASE(classes_of_every_type) {
  using arith::FloatClass;
  BOOST_TEST((ClassOf(DType::kF16, 0x0001) == FloatClass::kPositiveSubnormal));
  BOOST_TEST((ClassOf(DType::kF16, 0x8400) == FloatClass::kNegativeNormal));
  BOOST_TEST((ClassOf(DType::kF16, 0x7C00) == FloatClass::kPositiveInf));
  BOOST_TEST((ClassOf(DType::kBf16, 0x807F) == FloatClass::kNegativeSubnormal));
  BOOST_TEST((ClassOf(DType::kBf16, 0x7FC0) == FloatClass::kNan));
  BOOST_TEST((ClassOf(DType::kF32, 0x80000000) == FloatClass::kNegativeZero));
}

BOOST_AUTO_TEST_SUITE_END()
