// The array forms against their plain twins on every instruction set of this machine, and the
// sensitivity of fingerprints to a single unit in a table.
#include <hwy/targets.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "model/profiles/special_functions_sm_90.h"
#include "model/simd_support.h"
#include "model/units/special_functions/simd.h"
#include "tests/model/units/special_functions_fingerprint.h"
#include "tests/silicon.h"

namespace samebits::units {
namespace {

using arith::FromBits;
using arith::ToBits;

/// Restricts dispatch to one instruction set for a scope.
class OnlyTarget {
 public:
  explicit OnlyTarget(int64_t target) { Restrict(target); }
  ~OnlyTarget() { Restrict(0); }

 private:
  static void Restrict(int64_t target) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
};

/// Every upper half with five lower ones, both neighbours of every threshold, and random patterns.
std::vector<float> Inputs() {
  std::vector<float> inputs;
  for (uint32_t high = 0; high < 65536; ++high) {
    for (const uint32_t low : {0u, 1u, 0x7FFFu, 0x8000u, 0xFFFFu}) {
      inputs.push_back(FromBits(high << 16 | low));
    }
  }
  for (const float threshold : {0x1p-149f, 0x1p-126f, 0x1p126f, 126.0f, 128.0f, 149.0f, 150.0f,
                                1.0f, 0x1p-8f, 8.0f, 0x1p-25f, 0x1p23f, 0.25f, 0.5f}) {
    for (const uint32_t sign : {0u, 0x80000000u}) {
      for (int step = -3; step <= 3; ++step) {
        const uint32_t bits = (ToBits(threshold) + static_cast<uint32_t>(step)) ^ sign;
        inputs.push_back(FromBits(bits));
      }
    }
  }
  std::mt19937 random(20240611);
  for (int i = 0; i < 300000; ++i) inputs.push_back(FromBits(random()));
  // Arguments that people use: exponents near zero.
  for (int i = 0; i < 300000; ++i) {
    const uint32_t exponent = 127 - 24 + random() % 34;
    inputs.push_back(FromBits((random() & 0x807FFFFFu) | exponent << 23));
  }
  inputs.push_back(1.0f);  // an odd count: the last lanes are not full
  return inputs;
}

size_t CountDifferent(const std::vector<float>& a, const std::vector<float>& b) {
  size_t different = 0;
  for (size_t i = 0; i < a.size(); ++i) different += ToBits(a[i]) != ToBits(b[i]);
  return different;
}

BOOST_AUTO_TEST_CASE(ArraysEqualPlainOnEveryTarget) {
  const SpecialFunctionTables& tables = profiles::Sm90SpecialFunctions();
  const std::vector<float> x = Inputs();
  std::vector<float> plain(x.size()), simd(x.size());
  for (int k = 0; k < kInstructionCount; ++k) {
    const Instruction instruction = static_cast<Instruction>(k);
    for (size_t i = 0; i < x.size(); ++i) plain[i] = Evaluate(tables, instruction, x[i]);
    for (const SimdTarget& target : SimdTargets()) {
      const OnlyTarget only(target.bit);
      std::fill(simd.begin(), simd.end(), -7.0f);
      EvaluateArraySimd(tables, instruction, x.data(), simd.data(), x.size());
      BOOST_TEST(CountDifferent(plain, simd) == 0u, Name(instruction) << " on " << target.name);
    }
  }
}

BOOST_AUTO_TEST_CASE(DivisionsEqualPlainOnEveryTarget) {
  const SpecialFunctionTables& tables = profiles::Sm90SpecialFunctions();
  const std::vector<float> b = Inputs();
  std::vector<float> a = b;
  std::shuffle(a.begin(), a.end(), std::mt19937(7));
  std::vector<float> plain(b.size()), plain_ftz(b.size()), simd(b.size());
  for (size_t i = 0; i < b.size(); ++i) {
    plain[i] = DivFull(tables, a[i], b[i]);
    plain_ftz[i] = DivFullFtz(tables, a[i], b[i]);
  }
  for (const SimdTarget& target : SimdTargets()) {
    const OnlyTarget only(target.bit);
    DivFullArraySimd(tables, a.data(), b.data(), simd.data(), b.size());
    BOOST_TEST(CountDifferent(plain, simd) == 0u, "div.full.f32 on " << target.name);
    DivFullFtzArraySimd(tables, a.data(), b.data(), simd.data(), b.size());
    BOOST_TEST(CountDifferent(plain_ftz, simd) == 0u, "div.full.ftz.f32 on " << target.name);
  }
}

// 1 / b is rcp.approx.f32 of b (measured for all b).
BOOST_AUTO_TEST_CASE(OneOverIsTheReciprocal) {
  const SpecialFunctionTables& tables = profiles::Sm90SpecialFunctions();
  for (const float b : Inputs()) {
    BOOST_REQUIRE_EQUAL(ToBits(DivFull(tables, 1.0f, b)),
                        ToBits(Evaluate(tables, Instruction::kRcpApproxF32, b)));
  }
}

// Array lengths around the number of lanes, in place.
BOOST_AUTO_TEST_CASE(ShortArraysInPlace) {
  const SpecialFunctionTables& tables = profiles::Sm90SpecialFunctions();
  for (size_t n = 0; n < 40; ++n) {
    std::vector<float> values(n + 1, 3.25f);
    for (size_t i = 0; i < n; ++i) values[i] = static_cast<float>(i) - 20.3f;
    const std::vector<float> inputs = values;
    EvaluateArray(tables, Instruction::kEx2ApproxF32, values.data(), values.data(), n);
    for (size_t i = 0; i < n; ++i) {
      BOOST_TEST(values[i] == Evaluate(tables, Instruction::kEx2ApproxF32, inputs[i]));
    }
    BOOST_TEST(values[n] == 3.25f);
  }
}

BOOST_AUTO_TEST_CASE(EachTargetRunsItsOwnCode) {
  for (const SimdTarget& target : SimdTargets()) {
    const OnlyTarget only(target.bit);
    BOOST_TEST(SimdTargetInUse() == target.name);
    BOOST_TEST_MESSAGE("special functions ran on " << SimdTargetInUse());
  }
  BOOST_TEST(SimdSupported() == !SimdTargets().empty());
  BOOST_TEST(SimdApplies(profiles::Sm90SpecialFunctions()) == SimdSupported());
  BOOST_TEST(!SimdApplies(profiles::CorrectlyRoundedSpecialFunctions()));
}

// Tables of another shape take the plain path.
BOOST_AUTO_TEST_CASE(OtherShapesArePlain) {
  SpecialFunctionTables tables = profiles::Sm90SpecialFunctions();
  tables.ex2.square_first_column = 18;
  BOOST_TEST(!SimdApplies(tables));
  const float x = 0.3f;
  float y = 0.0f;
  EvaluateArray(tables, Instruction::kEx2ApproxF32, &x, &y, 1);
  BOOST_TEST(y == Evaluate(tables, Instruction::kEx2ApproxF32, x));
}

struct Mutation {
  Instruction instruction;
  Interpolator SpecialFunctionTables::*table;
  uint32_t row;
  uint32_t block;  // with inputs of that row
};

// One unit in one constant of one row: the fingerprint of a block that uses the row must change.
BOOST_AUTO_TEST_CASE(FingerprintsSeeOneUnit) {
  using Tables = SpecialFunctionTables;
  const Mutation mutations[] = {
      {Instruction::kEx2ApproxFtzF32, &Tables::ex2, 32, 0x3F00},    // from 0.5
      {Instruction::kRcpApproxFtzF32, &Tables::rcp, 64, 0x3FC0},    // from 1.5
      {Instruction::kRsqrtApproxFtzF32, &Tables::rsq, 32, 0x3FC0},  // from 1.5
      {Instruction::kSqrtApproxFtzF32, &Tables::sqrt, 96, 0x4040},  // from 3
      {Instruction::kLg2ApproxFtzF32, &Tables::lg2, 32, 0x3FC0},    // from 1.5
      {Instruction::kTanhApproxF32, &Tables::tanh, 23, 0x3FC0},     // from 1.5
      {Instruction::kMufuSin, &Tables::sin, 32, 0x3E00},            // from 1/8 turn
      {Instruction::kMufuCos, &Tables::sin, 31, 0x3E00},            // from 1/8 turn, reflected
  };
  for (const Mutation& m : mutations) {
    const std::string name(Name(m.instruction));
    const auto recorded = testing::ReadSilicon<uint64_t>("data/silicon/sm_90/special_functions.h5",
                                                         "fingerprints/" + name);
    Tables tables = profiles::Sm90SpecialFunctions();
    BOOST_TEST(testing::Fingerprint(tables, m.instruction, m.block) == recorded[m.block], name);
    const auto& original = (tables.*m.table).rows;
    std::vector<QuadraticRow> rows(original.begin(), original.end());
    (tables.*m.table).rows = rows;
    for (int32_t QuadraticRow::*constant :
         {&QuadraticRow::c0, &QuadraticRow::c1, &QuadraticRow::c2}) {
      for (const int32_t unit : {-1, 1}) {
        rows[m.row].*constant += unit;
        BOOST_TEST(testing::Fingerprint(tables, m.instruction, m.block) != recorded[m.block], name);
        rows[m.row].*constant -= unit;
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(ValidateNamesTheTable) {
  SpecialFunctionTables tables = profiles::Sm90SpecialFunctions();
  BOOST_CHECK_NO_THROW(tables.validate());
  BOOST_CHECK_NO_THROW(profiles::CorrectlyRoundedSpecialFunctions().validate());
  tables.lg2.rows = tables.lg2.rows.first(63);
  const auto names_lg2 = [](const std::invalid_argument& e) {
    return std::string(e.what()) == "special-function table lg2: expected 64 rows, got 63";
  };
  BOOST_CHECK_EXCEPTION(tables.validate(), std::invalid_argument, names_lg2);
}

}  // namespace
}  // namespace samebits::units
